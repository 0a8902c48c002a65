"""Functions as firms of other languages write them before the at-sign, a few of each language."""

import pytest

from winnow.core.addresses.address import local_flags
from winnow.core.verdicts.facts import LocalFlag
from winnow.domain_data.look_up.look_up import Knowledge

NAMES = {
    "de": "kontakt buchhaltung vertrieb verkauf einkauf personal bewerbung bewerbungen rechnung",
    "fr": "contact accueil comptabilite compta ventes achats commandes commande facturation",
    "es": "contacto ventas compras facturacion facturas pedidos administracion contabilidad",
    "it": "contatti info amministrazione segreteria ufficio vendite acquisti ordini fatture",
    "pt": "contato contacto vendas compras comercial financeiro faturamento faturacao",
    "nl": "contact verkoop inkoop boekhouding administratie facturen factuur bestellingen",
    "sv": "kontakt kundtjanst kundservice forsaljning inkop ekonomi faktura fakturor bokning",
    "da": "kontakt salg indkob bogholderi regnskab faktura fakturaer ordre bestilling booking",
    "no": "kontakt salg innkjop regnskap faktura ordre bestilling booking kundeservice kundesenter",
    "fi": "asiakaspalvelu myynti osto ostot laskutus laskut talous kirjanpito toimisto tilaukset",
    "pl": "kontakt biuro sekretariat ksiegowosc sprzedaz handlowy zakupy faktury faktura",
    "cs": "kontakt obchod objednavky objednavka prodej nakup fakturace faktury fakturacni ucetni",
    "sk": "kontakt obchod objednavky objednavka predaj nakup fakturacia faktury uctovnictvo",
    "hu": "iroda titkarsag ertekesites rendeles megrendeles szamlazas szamla penzugy konyveles",
    "ro": "contact vanzari comenzi comanda facturi facturare contabilitate financiar achizitii",
    "hr": "kontakt prodaja nabava racuni racunovodstvo knjigovodstvo narudzbe narudzba podrska",
    "sl": "kontakt prodaja nabava racuni racunovodstvo narocila narocilo podpora rezervacije",
    "el": "epikoinonia grammateia logistirio poliseis pwliseis agores paraggelies kratiseis",
    "tr": "iletisim bilgi satis satinalma muhasebe finans fatura siparis rezervasyon destek",
    "ru": "buh buhgalteria prodazhi otdelprodazh zakaz zakazy zakupki sklad snab snabzhenie",
    "uk": "buhgalteriya prodazh zamovlennya zakupivli sklad pryymalnya priymalnya kadry vidkadriv",
    "ja": "toiawase otoiawase eigyo keiri soumu jinji saiyo kouhou jimu jimukyoku uketsuke yoyaku",
    "zh": "kefu xiaoshou caiwu renshi zhaopin shichang yewu caigou bangongshi jishu fuwu dingdan",
    "vi": "lienhe kinhdoanh banhang hotro ketoan nhansu tuyendung dathang donhang datphong dichvu",
    "id": "kontak penjualan pemasaran keuangan akuntansi pembelian pesanan pemesanan reservasi",
    "ca": "contacte vendes compres comandes factures facturacio administracio comptabilitat",
    "et": "kontakt muuk ostud tellimus tellimused arved arveldus raamatupidamine finants",
    "lv": "kontakti pardosana iepirkumi pasutijumi pasutijums rekini rekins gramatvediba finanses",
    "lt": "kontaktai pardavimai pirkimai uzsakymai uzsakymas saskaitos saskaita buhalterija",
    "bg": "kontakti prodazhbi prodajbi porachki poruchki dostavki schetovodstvo fakturi finansi",
    "sr": "kontakt prodaja nabavka racuni racunovodstvo knjigovodstvo porudzbine porudzbina",
}


@pytest.mark.parametrize("language", NAMES)
def test_functions_are_told_from_people(knowledge: Knowledge, language: str) -> None:
    names = NAMES[language].split()
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
