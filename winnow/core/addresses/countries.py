"""Countries and territories of top-level domains, in English."""

from collections.abc import Mapping

from winnow.words import name_territory, say

GENERIC = "generic"
"""The country of a domain whose top-level domain is not a country's: com, org, shop …"""

_NAMES = """
ac Ascension Island; ad Andorra; ae United Arab Emirates; af Afghanistan; ag Antigua and Barbuda;
ai Anguilla; al Albania; am Armenia; ao Angola; aq Antarctica; ar Argentina; as American Samoa;
at Austria; au Australia; aw Aruba; ax Åland; az Azerbaijan; ba Bosnia and Herzegovina;
bb Barbados; bd Bangladesh; be Belgium; bf Burkina Faso; bg Bulgaria; bh Bahrain; bi Burundi;
bj Benin; bm Bermuda; bn Brunei; bo Bolivia; br Brazil; bs Bahamas; bt Bhutan; bw Botswana;
by Belarus; bz Belize; ca Canada; cc Cocos Islands; cd DR Congo; cf Central African Republic;
cg Congo; ch Switzerland; ci Côte d'Ivoire; ck Cook Islands; cl Chile; cm Cameroon; cn China;
co Colombia; cr Costa Rica; cu Cuba; cv Cabo Verde; cw Curaçao; cx Christmas Island; cy Cyprus;
cz Czechia; de Germany; dj Djibouti; dk Denmark; dm Dominica; do Dominican Republic; dz Algeria;
ec Ecuador; ee Estonia; eg Egypt; er Eritrea; es Spain; et Ethiopia; eu European Union;
fi Finland; fj Fiji; fk Falkland Islands; fm Micronesia; fo Faroe Islands; fr France; ga Gabon;
gd Grenada; ge Georgia; gf French Guiana; gg Guernsey; gh Ghana; gi Gibraltar; gl Greenland;
gm Gambia; gn Guinea; gp Guadeloupe; gq Equatorial Guinea; gr Greece; gs South Georgia;
gt Guatemala; gu Guam; gw Guinea-Bissau; gy Guyana; hk Hong Kong; hn Honduras; hr Croatia;
ht Haiti; hu Hungary; id Indonesia; ie Ireland; il Israel; im Isle of Man; in India;
io British Indian Ocean Territory; iq Iraq; ir Iran; is Iceland; it Italy; je Jersey; jm Jamaica;
jo Jordan; jp Japan; ke Kenya; kg Kyrgyzstan; kh Cambodia; ki Kiribati; km Comoros;
kn Saint Kitts and Nevis; kp North Korea; kr South Korea; kw Kuwait; ky Cayman Islands;
kz Kazakhstan; la Laos; lb Lebanon; lc Saint Lucia; li Liechtenstein; lk Sri Lanka; lr Liberia;
ls Lesotho; lt Lithuania; lu Luxembourg; lv Latvia; ly Libya; ma Morocco; mc Monaco; md Moldova;
me Montenegro; mg Madagascar; mh Marshall Islands; mk North Macedonia; ml Mali; mm Myanmar;
mn Mongolia; mo Macao; mp Northern Mariana Islands; mq Martinique; mr Mauritania; ms Montserrat;
mt Malta; mu Mauritius; mv Maldives; mw Malawi; mx Mexico; my Malaysia; mz Mozambique;
na Namibia; nc New Caledonia; ne Niger; nf Norfolk Island; ng Nigeria; ni Nicaragua;
nl Netherlands; no Norway; np Nepal; nr Nauru; nu Niue; nz New Zealand; om Oman; pa Panama;
pe Peru; pf French Polynesia; pg Papua New Guinea; ph Philippines; pk Pakistan; pl Poland;
pm Saint Pierre and Miquelon; pn Pitcairn; pr Puerto Rico; ps Palestine; pt Portugal; pw Palau;
py Paraguay; qa Qatar; re Réunion; ro Romania; rs Serbia; ru Russia; rw Rwanda;
sa Saudi Arabia; sb Solomon Islands; sc Seychelles; sd Sudan; se Sweden; sg Singapore;
sh Saint Helena; si Slovenia; sk Slovakia; sl Sierra Leone; sm San Marino; sn Senegal;
so Somalia; sr Suriname; ss South Sudan; st São Tomé and Príncipe; su Soviet Union, still in use;
sv El Salvador; sx Sint Maarten; sy Syria; sz Eswatini; tc Turks and Caicos Islands; td Chad;
tf French Southern Territories; tg Togo; th Thailand; tj Tajikistan; tk Tokelau; tl Timor-Leste;
tm Turkmenistan; tn Tunisia; to Tonga; tr Türkiye; tt Trinidad and Tobago; tv Tuvalu; tw Taiwan;
tz Tanzania; ua Ukraine; ug Uganda; uk United Kingdom; us United States; uy Uruguay;
uz Uzbekistan; va Vatican City; vc Saint Vincent and the Grenadines; ve Venezuela;
vg British Virgin Islands; vi US Virgin Islands; vn Vietnam; vu Vanuatu; wf Wallis and Futuna;
ws Samoa; ye Yemen; yt Mayotte; za South Africa; zm Zambia; zw Zimbabwe
"""  # IANA root zone database; the usual short names

COUNTRY_NAMES = dict(entry.split(maxsplit=1) for entry in _NAMES.replace("\n", " ").split(";"))
_SOLD_TO_ANYBODY = """
ac ai as bz cc cf co cx dj fm ga gg gq gs io la ly me ml ms nu pw sc sh sr st su tc tk to tv vc vg
ws
"""
GENERIC_COUNTRY_CODES = frozenset(_SOLD_TO_ANYBODY.split())
"""Country codes whose names anyone buys for how they look, so that they name no country.

Those that Google Search treats as generic, without ad and cd, and others that are sold in the same
way.
"""

_COUNTRY_LETTERS = 2  # ISO 3166-1 alpha-2, as top-level domains (RFC 1591, 2)
_ISO_CODES: Mapping[str, str] = {"uk": "gb"}
_COUNTRY_SCRIPTS: Mapping[str, str] = {
    "xn--p1ai": "ru", "xn--j1amh": "ua", "xn--90ais": "by", "xn--90a3ac": "rs", "xn--d1alf": "mk",
    "xn--90ae": "bg", "xn--80ao21a": "kz", "xn--l1acc": "mn", "xn--qxam": "gr", "xn--e1a4c": "eu",
    "xn--qxa6a": "eu", "xn--node": "ge", "xn--y9a3aq": "am", "xn--fiqs8s": "cn",
    "xn--fiqz9s": "cn", "xn--kprw13d": "tw", "xn--j6w193g": "hk", "xn--3e0b707e": "kr",
    "xn--o3cw4h": "th", "xn--h2brj9c": "in", "xn--wgbh1c": "eg", "xn--mgberp4a5d4ar": "sa",
    "xn--mgbaam7a8h": "ae",
}  # fmt: skip  # IANA root zone database: countries' names in their own script


def find_country(top_level: str) -> str:
    """Return the two-letter code of the country of a top-level domain, or GENERIC.

    The domain is an A-label in lower case. A country's domain in its own script gives its letters.
    Codes that anyone buys (io, co, me …) are GENERIC.
    """
    if top_level in GENERIC_COUNTRY_CODES:
        return GENERIC
    if len(top_level) == _COUNTRY_LETTERS and top_level.isalpha():
        return top_level
    return _COUNTRY_SCRIPTS.get(top_level, GENERIC)


def label_country(country: str) -> str:
    """Return a value of the countries' facet in words, translated: ``"Germany (.de)"``."""
    if country == GENERIC:
        return say("Generic (.com, .org, .io and the like)")
    name = COUNTRY_NAMES.get(country)
    if name is None or country in GENERIC_COUNTRY_CODES:
        return f".{country}"
    return f"{name_territory(_ISO_CODES.get(country, country), name)} (.{country})"
