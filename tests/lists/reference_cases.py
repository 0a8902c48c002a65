"""Every element of a workbook that names rows, before and after rows 3 and 5 are removed.

The schema's own list is ISO/IEC 29500-1, 18, with MS-XLSX for later versions.
"""

import re
from dataclasses import dataclass

SHEET, OTHER, WORKBOOK = "xl/sheets/data.xml", "xl/sheets/other.xml", "xl/workbook.xml"
TABLE, COMMENTS, THREADS = "xl/t1.xml", "xl/c1.xml", "xl/tc1.xml"
DRAWING, OTHER_DRAWING, VML = "xl/d1.xml", "xl/d2.xml", "xl/v1.vml"
CHART = "xl/chart.xml"
PIVOT, CACHE = "xl/p1.xml", "xl/cache.xml"
DRAWING_LINKS = "xl/_rels/d1.xml.rels"
_CHANGE = re.compile(r"\{([^{}|]*)\|([^{}|]*)\}")


@dataclass(frozen=True)
class Case:
    """What is in a part: ``{4|3}`` is 4 before, 3 after. ``covers`` are the schema's words."""

    covers: str
    part: str
    text: str
    tells: bool = False  # a notice names it

    @property
    def before(self) -> str:
        return _CHANGE.sub(r"\1", self.text)

    @property
    def after(self) -> str:
        return _CHANGE.sub(r"\2", self.text)


def _sheet(covers: str, text: str, *, tells: bool = False) -> Case:
    return Case(covers, SHEET, text, tells)


CASES = [
    _sheet("sheetPr@syncRef", '<sheetPr syncRef="A{4|3}"/>'),
    _sheet(
        "sheetView@topLeftCell pane@topLeftCell",
        '<sheetViews><sheetView topLeftCell="A2" workbookViewId="0">'
        '<pane ySplit="4" topLeftCell="A{6|4}" activePane="bottomLeft" state="frozen"/>'
        '{<selection pane="bottomLeft" activeCell="B7" sqref="B7:C8"/>|}</sheetView></sheetViews>',
    ),
    _sheet(
        "protectedRange@sqref",
        '<protectedRanges><protectedRange name="a" sqref="A2:A{6|4}{ B3|}"/>'
        '{<protectedRange name="b" sqref="A5"/>|}</protectedRanges>',
    ),
    _sheet(
        "autoFilter@ref sortState@ref sortCondition@ref richSortCondition@ref",
        '<autoFilter ref="A1:B{7|5}"><sortState ref="A2:B{7|5}"><sortCondition ref="A2:A{7|5}"/>'
        '<extLst><ext uri="x"><x14:sortCondition ref="B2:B{7|5}"/></ext><ext uri="y">'
        '<xlrd2:richSortCondition ref="B2:B{7|5}"/></ext></extLst></sortState></autoFilter>',
    ),
    _sheet(
        "mergeCell@ref",
        '<mergeCells count="{4|2}"><mergeCell ref="A2:B{4|3}"/>{<mergeCell ref="C5:D5"/>|}'
        '<mergeCell ref="C{6|4}:C{7|5}"/>{<mergeCell ref="F2:F3"/>|}</mergeCells>',
    ),
    _sheet("no-merges-left", '{<mergeCells count="1"><mergeCell ref="A3:B3"/></mergeCells>|}'),
    _sheet(
        "conditionalFormatting@sqref CT_ConditionalFormatting/formula cfvo@val",
        '<conditionalFormatting sqref="A3:A{6|4}"><cfRule type="expression" priority="1">'
        '<formula>A3&gt;$B${4|3}+B2</formula></cfRule><cfRule type="colorScale" priority="2">'
        '<colorScale><cfvo type="num" val="7"/><cfvo type="formula" val="$B${7|5}"/></colorScale>'
        '</cfRule></conditionalFormatting>{<conditionalFormatting sqref="C5">'
        '<cfRule type="expression" priority="3"><formula>1</formula></cfRule>'
        "</conditionalFormatting>|}",
    ),
    _sheet(
        "lost-rule",
        '<conditionalFormatting sqref="A2:A{6|4}"><cfRule type="expression" priority="1">'
        "<formula>{$B$3|#REF!}=A2</formula></cfRule></conditionalFormatting>",
        tells=True,
    ),
    _sheet(
        "dataValidation@sqref dataValidation/formula1 dataValidation/formula2",
        '<dataValidations count="{2|1}"><dataValidation type="list" sqref="A2:A{6|4}">'
        "<formula1>$B$2:$B${7|5}</formula1><formula2>B2</formula2></dataValidation>"
        '{<dataValidation sqref="C3 C5"><formula1>1</formula1></dataValidation>|}'
        "</dataValidations>",
    ),
    _sheet(
        "hyperlink@ref hyperlink@location",
        '<hyperlinks><hyperlink ref="A{4|3}" location="Data!A{6|4}"/>'
        '{<hyperlink ref="A3" r:id="rId9"/>|}<hyperlink ref="B2" location="Other!A4"/>'
        '<hyperlink ref="B{4|3}" r:id="rId9" location="#Data!A{6|4}"/>'
        "</hyperlinks>",
    ),
    _sheet(
        "ignoredError@sqref",
        '<ignoredErrors><ignoredError sqref="A2:B{6|4}" numberStoredAsText="1"/>'
        '{<ignoredError sqref="A3"/>|}</ignoredErrors>',
    ),
    _sheet(
        "xne:sqref xne:f",
        '<extLst><ext uri="x"><x14:conditionalFormattings><x14:conditionalFormatting>'
        '<x14:cfRule type="expression"><xm:f>Other!A4=B{6|5}+$B${6|4}</xm:f></x14:cfRule>'
        "<xm:sqref>A{4|3}:A{7|5}</xm:sqref></x14:conditionalFormatting>"
        "</x14:conditionalFormattings></ext></extLst>",
    ),
    _sheet(
        "later-rules-of-removed-rows",
        '{<extLst><ext uri="x"><x14:dataValidations><x14:dataValidation><x14:formula1>'
        "<xm:f>Other!A1</xm:f></x14:formula1><xm:sqref>A3 A5</xm:sqref></x14:dataValidation>"
        "</x14:dataValidations></ext></extLst>|}",
    ),
    _sheet(
        "sparklines",
        '<extLst><ext uri="x"><x14:sparklineGroups><x14:sparklineGroup><xm:f>Data!A2:A{6|4}'
        "</xm:f><x14:sparklines><x14:sparkline><xm:f>Data!A{4|3}:C{4|3}</xm:f><xm:sqref>D{4|3}"
        "</xm:sqref></x14:sparkline>{<x14:sparkline><xm:f>Data!A5:C5</xm:f>"
        "<xm:sqref>D5</xm:sqref></x14:sparkline>|}</x14:sparklines></x14:sparklineGroup>"
        "</x14:sparklineGroups></ext></extLst>",
    ),
    _sheet(
        "links-to-what-is-no-place",
        '<hyperlinks><hyperlink ref="A{4|3}" location="u5@x.org"/>'
        '<hyperlink ref="A{6|4}" location="https://x.org/A7"/>'
        '<hyperlink ref="B2" r:id="rId9" location="A7"/>'
        '<hyperlink ref="B{4|3}" location="Data!A{6|4}:B{7|5}"/></hyperlinks>',
    ),
    Case(
        "rules-elsewhere",
        OTHER,
        '<conditionalFormatting sqref="A4"><cfRule type="expression" priority="1">'
        "<formula>A4=Data!$A${4|3}</formula></cfRule></conditionalFormatting><hyperlinks>"
        '<hyperlink ref="A4" location="\'Data\'!A{6|4}"/></hyperlinks><extLst><ext uri="x">'
        "<x14:sparklineGroups><x14:sparklineGroup><x14:sparklines><x14:sparkline><xm:f>"
        "{Data!A3:C3|#REF!}</xm:f><xm:sqref>D4</xm:sqref></x14:sparkline></x14:sparklines>"
        "</x14:sparklineGroup></x14:sparklineGroups></ext></extLst>",
        tells=True,
    ),
    Case(
        "definedName",
        WORKBOOK,
        "<definedNames>"
        '<definedName name="_xlnm.Print_Titles" localSheetId="0">Data!$1:${4|3}</definedName>'
        '<definedName name="_xlnm.Print_Area" localSheetId="0">'
        "Data!$A$1:$B${7|5},{Data!$D$5|#REF!}</definedName>"
        '<definedName name="_xlnm.Criteria" localSheetId="0">Data!$A{4|3}:$B{7|5}</definedName>'
        '<definedName name="All">Data!$A:$A</definedName>'
        '<definedName name="Here">Data!A4</definedName></definedNames>'
        '<calcPr fullCalcOnLoad="1"/>',
        tells=True,
    ),
    Case(
        "table@ref CT_TableFormula",
        TABLE,
        '<table id="1" name="List" displayName="List" ref="A1:B{7|5}" totalsRowCount="1">'
        '<autoFilter ref="A1:B{6|4}"><sortState ref="A2:B{6|4}"><sortCondition ref="A2:A{6|4}"/>'
        '</sortState></autoFilter><tableColumns count="2"><tableColumn id="1" name="a"/>'
        '<tableColumn id="2" name="b"><calculatedColumnFormula>A2*$C${6|4}'
        "</calculatedColumnFormula><totalsRowFormula>SUM(B2:B{6|4})</totalsRowFormula>"
        "</tableColumn></tableColumns></table>",
    ),
    Case(
        "table-without-its-header",
        TABLE,
        '<table id="1" name="Side" displayName="Side" ref="D3:E{6|4}"{| headerRowCount="0"}>'
        '{<autoFilter ref="D3:E6"/>|}<tableColumns count="2"><tableColumn id="1" name="a"/>'
        '<tableColumn id="2" name="b"/></tableColumns></table>',
        tells=True,
    ),
    Case(
        "table-whose-rows-all-went",
        TABLE,
        '<table id="1" name="Side" displayName="Side" ref="D3:E3" headerRowCount="0"/>',
    ),
    Case(
        "table-without-rows",
        TABLE,
        '<table id="1" name="Side" displayName="Side" ref="D2:E3"><autoFilter ref="D2:E3"/>'
        "</table>",
    ),
    Case(
        "comment@ref",
        COMMENTS,
        '<comments><authors/><commentList><comment ref="A{4|3}" authorId="0"><text>'
        '<t>a&#13;\n &lt;b&gt; &amp;amp; "c"</t></text></comment>'
        '{<comment ref="A3" authorId="0"/>|}</commentList></comments>',
    ),
    Case(
        "threadedComment@ref",
        THREADS,
        '<ThreadedComments>{<threadedComment ref="A3" id="1"/>|}</ThreadedComments>',
    ),
    Case(
        "xdr:row sp@textlink cameraTool@cellRange",
        DRAWING,
        "<xdr:wsDr><xdr:twoCellAnchor><xdr:from><xdr:row>{5|3}</xdr:row>"
        "<xdr:rowOff>9</xdr:rowOff></xdr:from><xdr:to><xdr:row>{20|18}</xdr:row></xdr:to>"
        '<xdr:sp textlink="$A${4|3}"/></xdr:twoCellAnchor><xdr:oneCellAnchor><xdr:from>'
        '<xdr:row>2</xdr:row></xdr:from><a:ext><a14:cameraTool cellRange="Data!$A$2:$B${6|4}"/>'
        '</a:ext></xdr:oneCellAnchor><xdr:twoCellAnchor editAs="absolute"><xdr:from>'
        "<xdr:row>7</xdr:row></xdr:from><xdr:to><xdr:row>8</xdr:row></xdr:to></xdr:twoCellAnchor>"
        "</xdr:wsDr>",
    ),
    Case(
        "drawing-elsewhere",
        OTHER_DRAWING,
        "<xdr:wsDr><xdr:twoCellAnchor><xdr:from><xdr:row>5</xdr:row></xdr:from>"
        '<xdr:sp textlink="Data!$A${4|3}"/><xdr:sp textlink="$A$4"/></xdr:twoCellAnchor>'
        "</xdr:wsDr>",
    ),
    Case(
        "link-of-a-shape",
        DRAWING_LINKS,
        '<Relationships><Relationship Id="rId8" Type="t/hyperlink" Target="#Data!A{6|4}"/>'
        '<Relationship Id="rId9" Type="t/hyperlink" Target="http://x.example/#Data!A6" '
        'TargetMode="External"/></Relationships>',
    ),
    Case(
        "vml:Row vml:Anchor",
        VML,
        '<xml><v:shape><x:ClientData ObjectType="Note">'
        "<x:Anchor>1, 15, {5|3}, 2, 3, 15, {9|7}, 4</x:Anchor><x:Row>{5|3}</x:Row>"
        "<x:Column>0</x:Column></x:ClientData></v:shape>{<v:shape>"
        '<x:ClientData ObjectType="Note"><x:Row>2</x:Row></x:ClientData></v:shape>|}</xml>',
    ),
    Case(
        "c:f c15:f c15:sqref",
        CHART,
        "<c:chartSpace><c:ser><c:cat><c:strRef><c:f>Data!$A${6|4}:$A${7|5}</c:f><c:strCache>"
        "<c:pt/></c:strCache></c:strRef></c:cat><c:val><c:numRef><c:f>Data!$B$2:$B${7|5}</c:f>"
        "<c:extLst><c:ext><c15:fullRef><c15:sqref>Data!$B$2:$B${8|6}</c15:sqref></c15:fullRef>"
        "</c:ext></c:extLst>{<c:numCache><c:pt/></c:numCache>|}</c:numRef></c:val>"
        "<c15:f>Other!$A$4</c15:f></c:ser></c:chartSpace>",
    ),
    Case(
        "series-whose-rows-all-went",
        CHART,
        "<c:chartSpace><c:val><c:numRef><c:f>{Data!$B$3:$C$3|#REF!}</c:f>{<c:numCache><c:pt/>"
        "</c:numCache>|}</c:numRef></c:val></c:chartSpace>",
        tells=True,
    ),
    Case(
        "location@ref",
        PIVOT,
        '<pivotTableDefinition name="P"><location ref="F{6|4}:G{9|7}" firstHeaderRow="1"/>'
        "</pivotTableDefinition>",
    ),
    Case(
        "pivot-that-loses-cells",
        PIVOT,
        '<pivotTableDefinition name="P"><location ref="F2:G{9|7}"/></pivotTableDefinition>',
    ),
    Case(
        "worksheetSource@ref pivotCacheDynamicArray@ref pivotCacheDataSource@ref",
        CACHE,
        '<pivotCacheDefinition refreshOnLoad="{0|1}"><cacheSource>'
        '<worksheetSource ref="A1:B{7|5}" sheet="Data"/></cacheSource><extLst><ext>'
        '<xlpda:pivotCacheDynamicArray ref="Data!$A${4|3}"/></ext><ext>'
        '<xlpds:pivotCacheDataSource ref="Data!$A$2:$B${6|4}"/></ext></extLst>'
        "</pivotCacheDefinition>",
        tells=True,
    ),
    Case(
        "rangeSet@ref",
        CACHE,
        '<pivotCacheDefinition{| refreshOnLoad="1"}><consolidation>'
        '<rangeSet ref="A{6|4}:B{7|5}" sheet="data"/><rangeSet ref="A6:B7" sheet="Other"/>'
        "</consolidation></pivotCacheDefinition>",
        tells=True,
    ),
]
