"""Local parts of functions composed of parts, and those that only fill in a form."""

import pytest

from winnow.core.addresses.address import local_flags
from winnow.core.judging.judge import Judge, judge_text
from winnow.core.verdicts.facts import LocalFlag
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Category
from winnow.domain_data.look_up.look_up import Knowledge

FUNCTIONS = """
    info2 sales01 customer-service accounts.payable human_resources vertrieb-nord support-de
    uk.sales info-berlin service.clients ressourceshumaines ressources-humaines poststelle bonjour
    recursos.humanos ufficio-vendite secretaria.geral ledenadministratie bokforing
    recepcja dispetcher kontakt-muenchen team-marketing
    dpo eventos uzletvezetes datenschutzbeauftragter
"""
PEOPLE = """
    per md sf pd mt la lt ta bd cm gm pm uk us alexa sydney paris india anna2 m.sales nord
    anna-nord it2 hr.meier
    insa arve ost stilling basin kantor pers anders satie
    maria juan ana li wang kim ivan olga jan piotr yuki
"""
LANGUAGES = {  # functions as firms of other languages write them, a few of each
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


@pytest.mark.parametrize("names", [FUNCTIONS, *LANGUAGES.values()], ids=["composed", *LANGUAGES])
def test_functions_are_told_from_people(knowledge: Knowledge, names: str) -> None:
    assert {name for name in names.split() if not is_role(knowledge, name.title())} == set()


def test_people_are_no_functions(knowledge: Knowledge) -> None:
    assert {name for name in PEOPLE.split() if is_role(knowledge, name)} == set()


def is_role(knowledge: Knowledge, name: str) -> bool:
    return LocalFlag.ROLE in local_flags(name, knowledge.local_words)


FILLERS = (
    "test@test.de Asd@asd.com abc@test.org 123@123.com noemail@gmail.com no-tiene@hotmail.com "
    "asdf@firma.de fake@gmail.com nohay@nohay.com delete@delete.com keine@web.de xxx+1@gmx.de "
    "mail@mail.com mail@gmail.com testing@gmail.com 12345@googlemail.com 12345@123.com "
    "testing@test.de test@testing.com donotemail@firma.de walkin@gmail.com your@email.com "
    "naopossuiemail@firma.com.br brak.email@wp.pl epostayoktur@firma.com.tr nincsemailcim@firma.hu"
)
NO_FILLERS = (
    "test@gmail.com test@firma.de info@test.de asd@firma.dk anna@abc.com johndoe@gmail.com "
    "12345@qq.com fake@firma.de testing@firma.de mail@firma.de ana@mail.com test@mail.com "
    "12345@mail.works mail@mail.work hello@hey.com me@me.com john@john.com"
)
DOTTED = (
    ("a.b.c.d.e@gmail.com", Category.GREY),
    ("maria.del.carmen.garcia.lopez@gmail.com", Category.WHITE),
    ("a.b.c.d.name@uni-bonn.de", Category.WHITE),
    ("a.b.c.d.e@gmx.de", Category.WHITE),
    ("a.1.b.22.c.3.name@firma.de", Category.GREY),
)


@pytest.mark.parametrize(("address", "category"), DOTTED)
def test_dots_are_a_sign_where_they_make_no_difference(
    knowledge: Knowledge, address: str, category: Category
) -> None:
    assert judge_text(Judge(knowledge), address).verdict.category is category


@pytest.mark.parametrize(
    ("address", "is_filler"),
    [
        *((address, True) for address in FILLERS.split()),
        *((address, False) for address in NO_FILLERS.split()),
    ],
)
def test_filler_addresses(knowledge: Knowledge, address: str, is_filler: bool) -> None:
    verdict = judge_text(Judge(knowledge), address).verdict
    assert (Reason.FILLER_ADDRESS in verdict.reasons) == is_filler
    assert verdict.category is (Category.GREY if is_filler else Category.WHITE)


@pytest.mark.parametrize("domain", ["test.de", "asd.com", "abc.org"])
def test_labels_that_fill_in_a_form_are_looked_up(knowledge: Knowledge, domain: str) -> None:
    assert knowledge.number_alike([domain]) == b"\0"
