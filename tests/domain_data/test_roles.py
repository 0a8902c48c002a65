"""Functions as firms of other languages write them before the at-sign, 25 names a language."""

import pytest

from winnow.core.addresses.address import local_flags
from winnow.core.verdicts.facts import LocalFlag
from winnow.domain_data.look_up.look_up import Knowledge

NAMES = {
    "de": """
        kontakt buchhaltung vertrieb verkauf einkauf personal bewerbung bewerbungen rechnung
        rechnungen bestellung bestellungen kundenservice kundendienst verwaltung sekretariat
        geschaeftsfuehrung geschaeftsleitung datenschutz presse redaktion empfang technik
        werkstatt lager
    """,
    "fr": """
        contact accueil comptabilite compta ventes achats commandes commande facturation facture
        factures devis secretariat direction recrutement emploi presse boutique livraison
        reservation reservations mairie juridique rh service-client
    """,
    "es": """
        contacto ventas compras facturacion facturas pedidos administracion contabilidad
        gerencia direccion secretaria recepcion reservas empleo rrhh recursoshumanos prensa
        tienda soporte atencionalcliente atencioncliente logistica calidad cobranzas consultas
    """,
    "it": """
        contatti info amministrazione segreteria ufficio vendite acquisti ordini fatture
        fatturazione contabilita commerciale direzione personale prenotazioni assistenza
        servizioclienti stampa redazione negozio magazzino spedizioni risorseumane lavoraconnoi
        ufficiostampa
    """,
    "pt": """
        contato contacto vendas compras comercial financeiro faturamento faturacao contabilidade
        administracao secretaria diretoria direcao recepcao reservas pedidos encomendas suporte
        atendimento ouvidoria imprensa rh recrutamento cobranca loja
    """,
    "nl": """
        contact verkoop inkoop boekhouding administratie facturen factuur bestellingen
        bestelling klantenservice receptie kantoor secretariaat directie personeelszaken
        vacatures sollicitatie sollicitaties reserveringen reservering magazijn planning
        persvoorlichting redactie winkel
    """,
    "sv": """
        kontakt kundtjanst kundservice forsaljning inkop ekonomi faktura fakturor bokning
        bokningar order kansli kontor reception personal jobb press redaktion styrelse styrelsen
        lager verkstad registrator bestallning vaktmastare
    """,
    "da": """
        kontakt salg indkob bogholderi regnskab faktura fakturaer ordre bestilling booking
        kundeservice kontor reception personale job presse redaktion bestyrelse bestyrelsen
        lager vaerksted sekretariat administration ekspedition butik
    """,
    "no": """
        kontakt salg innkjop regnskap faktura ordre bestilling booking kundeservice kundesenter
        kundesupport kontor resepsjon personal utleie presse redaksjon styret lager verksted
        postmottak sekretariat administrasjon okonomi butikk
    """,
    "fi": """
        asiakaspalvelu myynti osto ostot laskutus laskut talous kirjanpito toimisto tilaukset
        tilaus varaukset varaus palaute rekry rekrytointi henkilosto viestinta kirjaamo neuvonta
        tuki huolto varasto hallitus vastaanotto
    """,
    "pl": """
        kontakt biuro sekretariat ksiegowosc sprzedaz handlowy zakupy faktury faktura zamowienia
        zamowienie rezerwacje rezerwacja reklamacje serwis sklep kadry praca rekrutacja
        marketing magazyn dyrekcja redakcja obsluga administracja
    """,
    "cs": """
        kontakt obchod objednavky objednavka prodej nakup fakturace faktury fakturacni ucetni
        uctarna ekonom podpora servis reklamace rezervace recepce sekretariat kancelar reditel
        personalni nabor podatelna redakce sklad
    """,
    "sk": """
        kontakt obchod objednavky objednavka predaj nakup fakturacia faktury uctovnictvo uctaren
        ekonomika podpora servis reklamacie rezervacie recepcia sekretariat kancelaria riaditel
        personalne nabor podatelna redakcia sklad predajna
    """,
    "hu": """
        iroda titkarsag ertekesites rendeles megrendeles szamlazas szamla penzugy konyveles
        ugyfelszolgalat ugyfel kapcsolat foglalas allas karrier munkaugy beszerzes raktar
        szerviz sajto szerkesztoseg recepcio uzlet igazgato marketing
    """,
    "ro": """
        contact vanzari comenzi comanda facturi facturare contabilitate financiar achizitii
        aprovizionare secretariat birou administratie receptie rezervari relatii relatiiclienti
        clienti angajari cariere resurseumane presa redactie depozit director
    """,
    "hr": """
        kontakt prodaja nabava racuni racunovodstvo knjigovodstvo narudzbe narudzba podrska
        rezervacije recepcija tajnistvo tajnica ponude uprava kadrovska posao zaposlenje
        skladiste servis marketing redakcija direktor reklamacije financije
    """,
    "sl": """
        kontakt prodaja nabava racuni racunovodstvo narocila narocilo podpora rezervacije
        recepcija tajnistvo pisarna uprava kadrovska zaposlitev skladisce servis trzenje
        urednistvo direktor reklamacije finance komerciala obracun trgovina
    """,
    "el": """
        epikoinonia grammateia logistirio poliseis pwliseis agores paraggelies kratiseis
        exipiretisi eksipiretisi ypostirixi dioikisi diefthinsi prosopiko viografika gramateia
        katastima apothiki timologia tmima ekdoseis typou proswpiko protokollo texniko
    """,
    "tr": """
        iletisim bilgi satis satinalma muhasebe finans fatura siparis rezervasyon destek
        musterihizmetleri musteri insankaynaklari kariyer pazarlama ihracat ithalat teknik
        servis sekreter yonetim halklailiskiler depo kalite ofis
    """,
    "ru": """
        buh buhgalteria prodazhi otdelprodazh zakaz zakazy zakupki sklad snab snabzhenie
        priemnaya sekretar kadry otdelkadrov otdel director kontakt servis podderzhka reklama
        dostavka magazin ofis pochta rabota
    """,
    "uk": """
        buhgalteriya prodazh zamovlennya zakupivli sklad pryymalnya priymalnya kadry vidkadriv
        viddil dyrektor kontakt servis pidtrymka reklama dostavka magazyn ofis poshta robota
        vakansii kancelyariya zvernennya finansy buh
    """,
    "ja": """
        toiawase otoiawase eigyo keiri soumu jinji saiyo kouhou jimu jimukyoku uketsuke yoyaku
        chumon seikyu shiharai hanbai kaikei kanri gijutsu kaihatsu koubai shisha honsha tenpo
        hinshitsu
    """,
    "zh": """
        kefu xiaoshou caiwu renshi zhaopin shichang yewu caigou bangongshi jishu fuwu dingdan
        zixun xingzheng kuaiji waimao shouhou touzi tousu guanli cangku meiti hezuo fapiao wuliu
    """,
    "vi": """
        lienhe kinhdoanh banhang hotro ketoan nhansu tuyendung dathang donhang datphong dichvu
        cskh chamsockhachhang hanhchinh vanphong giamdoc thumua kythuat baohanh khieunai
        truyenthong phongkinhdoanh khohang hoadon letan
    """,
    "id": """
        kontak penjualan pemasaran keuangan akuntansi pembelian pesanan pemesanan reservasi
        layanan layananpelanggan pelanggan personalia hrd lowongan rekrutmen karir sekretariat
        kantorpusat gudang humas informasi bantuan keluhan tagihan
    """,
    "ca": """
        contacte vendes compres comandes factures facturacio administracio comptabilitat
        secretaria direccio recepcio reserves atencioclient rrhh premsa botiga magatzem
        informacio consultes suport treball ajuntament registre biblioteca gerencia
    """,
    "et": """
        kontakt muuk ostud tellimus tellimused arved arveldus raamatupidamine finants
        klienditeenindus kontor sekretar vastuvott broneerimine broneering personal juhatus
        juhataja toopakkumised karjaar teenindus ladu epood hooldus pressiesindaja
    """,
    "lv": """
        kontakti pardosana iepirkumi pasutijumi pasutijums rekini rekins gramatvediba finanses
        klienti klientuserviss birojs sekretare rezervacija personals personala vakances
        darbinieki noliktava serviss veikals redakcija kanceleja lietvediba atbalsts
    """,
    "lt": """
        kontaktai pardavimai pirkimai uzsakymai uzsakymas saskaitos saskaita buhalterija
        finansai klientai klientuaptarnavimas biuras sekretore rezervacija personalas darbas
        karjera sandelis servisas parduotuve redakcija administracija rastine pagalba vadyba
    """,
    "bg": """
        kontakti prodazhbi prodajbi porachki poruchki dostavki schetovodstvo fakturi finansi
        klienti obsluzhvane ofis sekretar rezervacii lichensastav kariera rabota sklad serviz
        magazin redakcia administracia delovodstvo poddrazhka upravitel
    """,
    "sr": """
        kontakt prodaja nabavka racuni racunovodstvo knjigovodstvo porudzbine porudzbina
        narudzbine podrska rezervacije recepcija sekretarica sekretarijat kancelarija uprava
        kadrovska posao zaposlenje magacin servis prodavnica redakcija direktor reklamacije
    """,
}


@pytest.mark.parametrize("language", NAMES)
def test_functions_are_told_from_people(knowledge: Knowledge, language: str) -> None:
    names = NAMES[language].split()
    assert len(set(names)) == 25
    people = {
        name
        for name in names
        if LocalFlag.ROLE not in local_flags(name.title(), knowledge.local_words)
    }
    assert people == set()


def test_people_are_no_functions(knowledge: Knowledge) -> None:
    """First names and surnames that are words of an office in some language."""
    people = (
        *("insa", "arve", "ost", "stilling", "basin", "kantor", "pers", "anders", "satie"),
        *("maria", "juan", "ana", "li", "wang", "kim", "ivan", "olga", "jan", "piotr", "yuki"),
    )
    wrong = {name for name in people if LocalFlag.ROLE in local_flags(name, knowledge.local_words)}
    assert wrong == set()
