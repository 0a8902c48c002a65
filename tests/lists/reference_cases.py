"""Every element of a workbook that names rows, before and after rows 3 and 5 are removed.

The schema's own list is ISO/IEC 29500-1, 18, with MS-XLSX for later versions.
"""

from dataclasses import dataclass

SHEET, OTHER, WORKBOOK = "xl/sheets/data.xml", "xl/sheets/other.xml", "xl/workbook.xml"
TABLE, COMMENTS, THREADS = "xl/t1.xml", "xl/c1.xml", "xl/tc1.xml"
DRAWING, OTHER_DRAWING, VML = "xl/d1.xml", "xl/d2.xml", "xl/v1.vml"
CHART = "xl/chart.xml"
PIVOT, CACHE = "xl/p1.xml", "xl/cache.xml"
DRAWING_LINKS = "xl/_rels/d1.xml.rels"


@dataclass(frozen=True)
class Case:
    """What stands in a part, and what must; ``covers`` are the schema's words for it."""

    covers: str
    part: str
    before: str
    after: str
    tells: bool = False  # a notice names it


def _sheet(covers: str, before: str, after: str, *, tells: bool = False) -> Case:
    return Case(covers, SHEET, before, after, tells)


_EXT = '<extLst><ext uri="{{X}}"><x14:{0}>{1}</x14:{0}></ext></extLst>'

CASES = [
    _sheet("sheetPr@syncRef", '<sheetPr syncRef="A4"/>', '<sheetPr syncRef="A3"/>'),
    _sheet(
        "sheetView@topLeftCell pane@topLeftCell",
        '<sheetViews><sheetView topLeftCell="A2" workbookViewId="0"><pane ySplit="4" '
        'topLeftCell="A6" activePane="bottomLeft" state="frozen"/><selection pane="bottomLeft" '
        'activeCell="B7" sqref="B7:C8"/></sheetView></sheetViews>',
        '<sheetViews><sheetView topLeftCell="A2" workbookViewId="0"><pane ySplit="4" '
        'topLeftCell="A4" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>',
    ),
    _sheet(
        "protectedRange@sqref",
        '<protectedRanges><protectedRange name="a" sqref="A2:A6 B3"/><protectedRange name="b" '
        'sqref="A5"/></protectedRanges>',
        '<protectedRanges><protectedRange name="a" sqref="A2:A4"/></protectedRanges>',
    ),
    _sheet(
        "autoFilter@ref sortState@ref sortCondition@ref richSortCondition@ref",
        '<autoFilter ref="A1:B7"><sortState ref="A2:B7"><sortCondition ref="A2:A7"/><extLst><ext '
        'uri="{X}"><x14:sortCondition ref="B2:B7"/></ext><ext uri="{Y}"><xlrd2:richSortCondition '
        'ref="B2:B7"/></ext></extLst></sortState></autoFilter>',
        '<autoFilter ref="A1:B5"><sortState ref="A2:B5"><sortCondition ref="A2:A5"/><extLst><ext '
        'uri="{X}"><x14:sortCondition ref="B2:B5"/></ext><ext uri="{Y}"><xlrd2:richSortCondition '
        'ref="B2:B5"/></ext></extLst></sortState></autoFilter>',
    ),
    _sheet(
        "mergeCell@ref",
        '<mergeCells count="4"><mergeCell ref="A2:B4"/><mergeCell ref="C5:D5"/><mergeCell '
        'ref="C6:C7"/><mergeCell ref="F2:F3"/></mergeCells>',
        '<mergeCells count="2"><mergeCell ref="A2:B3"/><mergeCell ref="C4:C5"/></mergeCells>',
    ),
    _sheet("no-merges-left", '<mergeCells count="1"><mergeCell ref="A3:B3"/></mergeCells>', ""),
    _sheet(
        "conditionalFormatting@sqref CT_ConditionalFormatting/formula cfvo@val",
        '<conditionalFormatting sqref="A3:A6"><cfRule type="expression" priority="1"><formula>'
        'A3&gt;$B$4+B2</formula></cfRule><cfRule type="colorScale" priority="2"><colorScale>'
        '<cfvo type="num" val="7"/><cfvo type="formula" val="$B$7"/></colorScale></cfRule>'
        '</conditionalFormatting><conditionalFormatting sqref="C5"><cfRule type="expression" '
        'priority="3"><formula>1</formula></cfRule></conditionalFormatting>',
        '<conditionalFormatting sqref="A3:A4"><cfRule type="expression" priority="1"><formula>'
        'A3&gt;$B$3+B2</formula></cfRule><cfRule type="colorScale" priority="2"><colorScale>'
        '<cfvo type="num" val="7"/><cfvo type="formula" val="$B$5"/></colorScale></cfRule>'
        "</conditionalFormatting>",
    ),
    _sheet(
        "lost-rule",
        '<conditionalFormatting sqref="A2:A6"><cfRule type="expression" priority="1"><formula>'
        "$B$3=A2</formula></cfRule></conditionalFormatting>",
        '<conditionalFormatting sqref="A2:A4"><cfRule type="expression" priority="1"><formula>'
        "#REF!=A2</formula></cfRule></conditionalFormatting>",
        tells=True,
    ),
    _sheet(
        "dataValidation@sqref dataValidation/formula1 dataValidation/formula2",
        '<dataValidations count="2"><dataValidation type="list" sqref="A2:A6"><formula1>$B$2:$B$7'
        '</formula1><formula2>B2</formula2></dataValidation><dataValidation sqref="C3 C5">'
        "<formula1>1</formula1></dataValidation></dataValidations>",
        '<dataValidations count="1"><dataValidation type="list" sqref="A2:A4"><formula1>$B$2:$B$5'
        "</formula1><formula2>B2</formula2></dataValidation></dataValidations>",
    ),
    _sheet(
        "hyperlink@ref hyperlink@location",
        '<hyperlinks><hyperlink ref="A4" location="Data!A6"/><hyperlink ref="A3" r:id="rId9"/>'
        '<hyperlink ref="B2" location="Other!A4"/></hyperlinks>',
        '<hyperlinks><hyperlink ref="A3" location="Data!A4"/>'
        '<hyperlink ref="B2" location="Other!A4"/></hyperlinks>',
    ),
    _sheet(
        "ignoredError@sqref",
        '<ignoredErrors><ignoredError sqref="A2:B6" numberStoredAsText="1"/><ignoredError '
        'sqref="A3"/></ignoredErrors>',
        '<ignoredErrors><ignoredError sqref="A2:B4" numberStoredAsText="1"/></ignoredErrors>',
    ),
    _sheet(
        "xne:sqref xne:f",
        _EXT.format(
            "conditionalFormattings",
            '<x14:conditionalFormatting><x14:cfRule type="expression"><xm:f>Other!A4=B6+$B$6</xm:f>'
            "</x14:cfRule><xm:sqref>A4:A7</xm:sqref></x14:conditionalFormatting>",
        ),
        _EXT.format(
            "conditionalFormattings",
            '<x14:conditionalFormatting><x14:cfRule type="expression"><xm:f>Other!A4=B5+$B$4</xm:f>'
            "</x14:cfRule><xm:sqref>A3:A5</xm:sqref></x14:conditionalFormatting>",
        ),
    ),
    _sheet(
        "later-rules-of-removed-rows",
        _EXT.format(
            "dataValidations",
            "<x14:dataValidation><x14:formula1><xm:f>Other!A1</xm:f></x14:formula1><xm:sqref>"
            "A3 A5</xm:sqref></x14:dataValidation>",
        ),
        "",
    ),
    _sheet(
        "sparklines",
        _EXT.format(
            "sparklineGroups",
            "<x14:sparklineGroup><xm:f>Data!A2:A6</xm:f><x14:sparklines><x14:sparkline><xm:f>"
            "Data!A4:C4</xm:f><xm:sqref>D4</xm:sqref></x14:sparkline><x14:sparkline><xm:f>"
            "Data!A5:C5</xm:f><xm:sqref>D5</xm:sqref></x14:sparkline></x14:sparklines>"
            "</x14:sparklineGroup>",
        ),
        _EXT.format(
            "sparklineGroups",
            "<x14:sparklineGroup><xm:f>Data!A2:A4</xm:f><x14:sparklines><x14:sparkline><xm:f>"
            "Data!A3:C3</xm:f><xm:sqref>D3</xm:sqref></x14:sparkline></x14:sparklines>"
            "</x14:sparklineGroup>",
        ),
    ),
    _sheet(
        "links-to-what-is-no-place",
        '<hyperlinks><hyperlink ref="A4" location="u5@x.org"/><hyperlink ref="A6" '
        'location="https://x.org/A7"/><hyperlink ref="B2" r:id="rId9" location="A7"/>'
        '<hyperlink ref="B4" location="Data!A6:B7"/></hyperlinks>',
        '<hyperlinks><hyperlink ref="A3" location="u5@x.org"/><hyperlink ref="A4" '
        'location="https://x.org/A7"/><hyperlink ref="B2" r:id="rId9" location="A7"/>'
        '<hyperlink ref="B3" location="Data!A4:B5"/></hyperlinks>',
    ),
    Case(
        "rules-elsewhere",
        OTHER,
        '<conditionalFormatting sqref="A4"><cfRule type="expression" priority="1"><formula>'
        "A4=Data!$A$4</formula></cfRule></conditionalFormatting>"
        '<hyperlinks><hyperlink ref="A4" location="\'Data\'!A6"/></hyperlinks>'
        + _EXT.format(
            "sparklineGroups",
            "<x14:sparklineGroup><x14:sparklines><x14:sparkline><xm:f>Data!A3:C3</xm:f><xm:sqref>"
            "D4</xm:sqref></x14:sparkline></x14:sparklines></x14:sparklineGroup>",
        ),
        '<conditionalFormatting sqref="A4"><cfRule type="expression" priority="1"><formula>'
        "A4=Data!$A$3</formula></cfRule></conditionalFormatting>"
        '<hyperlinks><hyperlink ref="A4" location="\'Data\'!A4"/></hyperlinks>'
        + _EXT.format(
            "sparklineGroups",
            "<x14:sparklineGroup><x14:sparklines><x14:sparkline><xm:f>#REF!</xm:f><xm:sqref>"
            "D4</xm:sqref></x14:sparkline></x14:sparklines></x14:sparklineGroup>",
        ),
        tells=True,
    ),
    Case(
        "definedName",
        WORKBOOK,
        '<definedNames><definedName name="_xlnm.Print_Titles" localSheetId="0">Data!$1:$4'
        '</definedName><definedName name="_xlnm.Print_Area" localSheetId="0">Data!$A$1:$B$7,'
        'Data!$D$5</definedName><definedName name="All">Data!$A:$A</definedName><definedName '
        'name="Here">Data!A4</definedName></definedNames><calcPr fullCalcOnLoad="1"/>',
        '<definedNames><definedName name="_xlnm.Print_Titles" localSheetId="0">Data!$1:$3'
        '</definedName><definedName name="_xlnm.Print_Area" localSheetId="0">Data!$A$1:$B$5,'
        '#REF!</definedName><definedName name="All">Data!$A:$A</definedName><definedName '
        'name="Here">Data!A4</definedName></definedNames><calcPr fullCalcOnLoad="1"/>',
        tells=True,
    ),
    Case(
        "table@ref CT_TableFormula",
        TABLE,
        '<table id="1" name="List" displayName="List" ref="A1:B7" totalsRowCount="1"><autoFilter '
        'ref="A1:B6"><sortState ref="A2:B6"><sortCondition ref="A2:A6"/></sortState></autoFilter>'
        '<tableColumns count="2"><tableColumn id="1" name="a"/><tableColumn id="2" name="b">'
        "<calculatedColumnFormula>A2*$C$6</calculatedColumnFormula><totalsRowFormula>"
        "SUM(B2:B6)</totalsRowFormula></tableColumn></tableColumns></table>",
        '<table id="1" name="List" displayName="List" ref="A1:B5" totalsRowCount="1"><autoFilter '
        'ref="A1:B4"><sortState ref="A2:B4"><sortCondition ref="A2:A4"/></sortState></autoFilter>'
        '<tableColumns count="2"><tableColumn id="1" name="a"/><tableColumn id="2" name="b">'
        "<calculatedColumnFormula>A2*$C$4</calculatedColumnFormula><totalsRowFormula>"
        "SUM(B2:B4)</totalsRowFormula></tableColumn></tableColumns></table>",
    ),
    Case(
        "table-without-its-header",
        TABLE,
        '<table id="1" name="Side" displayName="Side" ref="D3:E6"><autoFilter ref="D3:E6"/>'
        '<tableColumns count="2"><tableColumn id="1" name="a"/><tableColumn id="2" name="b"/>'
        "</tableColumns></table>",
        '<table id="1" name="Side" displayName="Side" ref="D3:E4" headerRowCount="0">'
        '<tableColumns count="2"><tableColumn id="1" name="a"/><tableColumn id="2" name="b"/>'
        "</tableColumns></table>",
        tells=True,
    ),
    Case(
        "table-without-rows",
        TABLE,
        '<table id="1" name="Side" displayName="Side" ref="D2:E3"><autoFilter ref="D2:E3"/>'
        "</table>",
        '<table id="1" name="Side" displayName="Side" ref="D2:E3"><autoFilter ref="D2:E3"/>'
        "</table>",
    ),
    Case(
        "comment@ref",
        COMMENTS,
        '<comments><authors/><commentList><comment ref="A4" authorId="0"><text>'
        '<t>a&#13;\n &lt;b&gt; &amp;amp; "c"</t></text></comment><comment ref="A3" authorId="0"/>'
        "</commentList></comments>",
        '<comments><authors/><commentList><comment ref="A3" authorId="0"><text>'
        '<t>a&#13;\n &lt;b&gt; &amp;amp; "c"</t></text></comment></commentList>'
        "</comments>",
    ),
    Case(
        "threadedComment@ref",
        THREADS,
        '<ThreadedComments><threadedComment ref="A3" id="{1}"/></ThreadedComments>',
        "<ThreadedComments></ThreadedComments>",
    ),
    Case(
        "xdr:row sp@textlink cameraTool@cellRange",
        DRAWING,
        "<xdr:wsDr><xdr:twoCellAnchor><xdr:from><xdr:row>5</xdr:row><xdr:rowOff>9</xdr:rowOff>"
        '</xdr:from><xdr:to><xdr:row>20</xdr:row></xdr:to><xdr:sp textlink="$A$4"/>'
        "</xdr:twoCellAnchor><xdr:oneCellAnchor><xdr:from><xdr:row>2</xdr:row></xdr:from><a:ext>"
        '<a14:cameraTool cellRange="Data!$A$2:$B$6"/></a:ext></xdr:oneCellAnchor>'
        '<xdr:twoCellAnchor editAs="absolute"><xdr:from><xdr:row>7</xdr:row></xdr:from><xdr:to>'
        "<xdr:row>8</xdr:row></xdr:to></xdr:twoCellAnchor></xdr:wsDr>",
        "<xdr:wsDr><xdr:twoCellAnchor><xdr:from><xdr:row>3</xdr:row><xdr:rowOff>9</xdr:rowOff>"
        '</xdr:from><xdr:to><xdr:row>18</xdr:row></xdr:to><xdr:sp textlink="$A$3"/>'
        "</xdr:twoCellAnchor><xdr:oneCellAnchor><xdr:from><xdr:row>2</xdr:row></xdr:from><a:ext>"
        '<a14:cameraTool cellRange="Data!$A$2:$B$4"/></a:ext></xdr:oneCellAnchor>'
        '<xdr:twoCellAnchor editAs="absolute"><xdr:from><xdr:row>7</xdr:row></xdr:from><xdr:to>'
        "<xdr:row>8</xdr:row></xdr:to></xdr:twoCellAnchor></xdr:wsDr>",
    ),
    Case(
        "drawing-elsewhere",
        OTHER_DRAWING,
        "<xdr:wsDr><xdr:twoCellAnchor><xdr:from><xdr:row>5</xdr:row></xdr:from><xdr:sp "
        'textlink="Data!$A$4"/><xdr:sp textlink="$A$4"/></xdr:twoCellAnchor></xdr:wsDr>',
        "<xdr:wsDr><xdr:twoCellAnchor><xdr:from><xdr:row>5</xdr:row></xdr:from><xdr:sp "
        'textlink="Data!$A$3"/><xdr:sp textlink="$A$4"/></xdr:twoCellAnchor></xdr:wsDr>',
    ),
    Case(
        "link-of-a-shape",
        DRAWING_LINKS,
        '<Relationships><Relationship Id="rId8" Type="t/hyperlink" Target="#Data!A6"/>'
        '<Relationship Id="rId9" Type="t/hyperlink" Target="http://x.example/#Data!A6" '
        'TargetMode="External"/></Relationships>',
        '<Relationships><Relationship Id="rId8" Type="t/hyperlink" Target="#Data!A4"/>'
        '<Relationship Id="rId9" Type="t/hyperlink" Target="http://x.example/#Data!A6" '
        'TargetMode="External"/></Relationships>',
    ),
    Case(
        "vml:Row vml:Anchor",
        VML,
        '<xml><v:shape><x:ClientData ObjectType="Note"><x:Anchor>1, 15, 5, 2, 3, 15, 9, 4'
        "</x:Anchor><x:Row>5</x:Row><x:Column>0</x:Column></x:ClientData></v:shape><v:shape>"
        '<x:ClientData ObjectType="Note"><x:Row>2</x:Row></x:ClientData></v:shape></xml>',
        '<xml><v:shape><x:ClientData ObjectType="Note"><x:Anchor>1, 15, 3, 2, 3, 15, 7, 4'
        "</x:Anchor><x:Row>3</x:Row><x:Column>0</x:Column></x:ClientData></v:shape></xml>",
    ),
    Case(
        "c:f c15:f c15:sqref",
        CHART,
        "<c:chartSpace><c:ser><c:cat><c:strRef><c:f>Data!$A$6:$A$7</c:f><c:strCache><c:pt/>"
        "</c:strCache></c:strRef></c:cat><c:val><c:numRef><c:f>Data!$B$2:$B$7</c:f><c:extLst>"
        "<c:ext><c15:fullRef><c15:sqref>Data!$B$2:$B$8</c15:sqref></c15:fullRef></c:ext></c:extLst>"
        "<c:numCache><c:pt/></c:numCache></c:numRef></c:val><c15:f>Other!$A$4</c15:f></c:ser>"
        "</c:chartSpace>",
        "<c:chartSpace><c:ser><c:cat><c:strRef><c:f>Data!$A$4:$A$5</c:f><c:strCache><c:pt/>"
        "</c:strCache></c:strRef></c:cat><c:val><c:numRef><c:f>Data!$B$2:$B$5</c:f><c:extLst>"
        "<c:ext><c15:fullRef><c15:sqref>Data!$B$2:$B$6</c15:sqref></c15:fullRef></c:ext></c:extLst>"
        "</c:numRef></c:val><c15:f>Other!$A$4</c15:f></c:ser></c:chartSpace>",
    ),
    Case(
        "series-whose-rows-all-went",
        CHART,
        "<c:chartSpace><c:val><c:numRef><c:f>Data!$B$3:$C$3</c:f><c:numCache><c:pt/></c:numCache>"
        "</c:numRef></c:val></c:chartSpace>",
        "<c:chartSpace><c:val><c:numRef><c:f>#REF!</c:f></c:numRef></c:val></c:chartSpace>",
        tells=True,
    ),
    Case(
        "location@ref",
        PIVOT,
        '<pivotTableDefinition name="P"><location ref="F6:G9" firstHeaderRow="1"/>'
        "</pivotTableDefinition>",
        '<pivotTableDefinition name="P"><location ref="F4:G7" firstHeaderRow="1"/>'
        "</pivotTableDefinition>",
    ),
    Case(
        "pivot-that-loses-cells",
        PIVOT,
        '<pivotTableDefinition name="P"><location ref="F2:G9"/></pivotTableDefinition>',
        '<pivotTableDefinition name="P"><location ref="F2:G7"/></pivotTableDefinition>',
    ),
    Case(
        "worksheetSource@ref pivotCacheDynamicArray@ref pivotCacheDataSource@ref",
        CACHE,
        '<pivotCacheDefinition refreshOnLoad="0"><cacheSource><worksheetSource ref="A1:B7" '
        'sheet="Data"/></cacheSource><extLst><ext><xlpda:pivotCacheDynamicArray ref="Data!$A$4"/>'
        '</ext><ext><xlpds:pivotCacheDataSource ref="Data!$A$2:$B$6"/></ext></extLst>'
        "</pivotCacheDefinition>",
        '<pivotCacheDefinition refreshOnLoad="1"><cacheSource><worksheetSource ref="A1:B5" '
        'sheet="Data"/></cacheSource><extLst><ext><xlpda:pivotCacheDynamicArray ref="Data!$A$3"/>'
        '</ext><ext><xlpds:pivotCacheDataSource ref="Data!$A$2:$B$4"/></ext></extLst>'
        "</pivotCacheDefinition>",
        tells=True,
    ),
    Case(
        "rangeSet@ref",
        CACHE,
        '<pivotCacheDefinition><consolidation><rangeSet ref="A6:B7" sheet="data"/><rangeSet '
        'ref="A6:B7" sheet="Other"/></consolidation></pivotCacheDefinition>',
        '<pivotCacheDefinition refreshOnLoad="1"><consolidation><rangeSet ref="A4:B5" '
        'sheet="data"/><rangeSet ref="A6:B7" sheet="Other"/></consolidation>'
        "</pivotCacheDefinition>",
        tells=True,
    ),
]
