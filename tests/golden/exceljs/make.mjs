// Writes the workbooks of this folder: npm install exceljs@4.4.0 && node make.mjs
import ExcelJS from "exceljs";

const lists = { scattered: "abacdbed", blocks: "xxxyyzwv" };
const trash = "trash.example.com";

function makeRows(letters) {
  return [...letters].map((letter, place) => [
    `${letter}@${"cw".includes(letter) ? trash : "firm.example.com"}`,
    place + 1,
    place % 5 === 0 ? "noted" : null,
    null,
  ]);
}

function dropDuplicates(rows) {
  const last = new Map(rows.map((row) => [row[0], row]));
  return rows
    .filter((row) => last.get(row[0]) === row)
    .map((row) => [...row, ...(row[0].includes(trash) ? ["black", "disposable"] : ["white", "unlisted"])]);
}

async function write(rows, header, name, hasTable) {
  const book = new ExcelJS.Workbook();
  const sheet = book.addWorksheet("Data", { views: [{ state: "frozen", ySplit: 1 }] });
  const last = rows.length + 1;
  const area = `A1:${"ABCDEF"[header.length - 1]}${last}`;
  const find = (...numbers) => rows.flatMap((row, place) => (numbers.includes(row[1]) ? [place + 2] : []));
  if (hasTable) {
    sheet.addTable({ name: "List", ref: "A1", columns: header.map((name) => ({ name, filterButton: true })), rows });
  } else {
    sheet.addRows([header, ...rows]);
    sheet.autoFilter = area;
    for (const found of [find(3, 4), find(7), find(8, 9)]) {
      if (found.length) sheet.mergeCells(`C${found[0]}:D${found.at(-1)}`);
    }
  }
  const other = book.addWorksheet("Other");
  other.getCell("A1").value = { formula: `SUM(Data!B2:B${last})` };
  other.getCell("A2").value = { formula: `Data!$B$${last}+1` };
  for (let row = 2; row <= last; row += 1) {
    sheet.getCell(`C${row}`).dataValidation = { type: "list", formulae: [`$B$2:$B$${last}`] };
  }
  sheet.addConditionalFormatting({
    ref: `A2:D${last}`,
    rules: [{ type: "expression", formulae: [`$B2>$B$${last}-4`], style: { font: { bold: true } } }],
  });
  for (const row of find(2, 5, 10)) {
    sheet.getCell(`A${row}`).value = { text: rows[row - 2][0], hyperlink: `#Data!B${last}` };
  }
  for (const row of find(1, 4, 9)) sheet.getCell(`B${row}`).note = `on ${rows[row - 2][0]}`;
  for (const row of find(2, 7)) sheet.getRow(row).height = 33;
  sheet.pageSetup.printArea = `A1:D${last}`;
  sheet.pageSetup.printTitlesRow = "1:1";
  await book.xlsx.writeFile(`${name}.xlsx`);
}

const header = ["email", "n", "note", "more"];
for (const [name, letters] of Object.entries(lists)) {
  const rows = makeRows(letters);
  const hasTable = name === "blocks";
  await write(rows, header, name, hasTable);
  await write(dropDuplicates(rows), [...header, "category", "domain_type"], `${name}-twin`, hasTable);
}
