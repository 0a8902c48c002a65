// Google Apps Script: adds category and type next to the addresses in column A of the open sheet.
// The server must be reachable from Google, so not on localhost.
const BASE = "https://winnow.example.com/v1/external-api-requests";
const MOST = 1000; // addresses of one call

function checkAddresses() {
  const sheet = SpreadsheetApp.getActiveSheet();
  const key = PropertiesService.getScriptProperties().getProperty("WINNOW_KEY");
  const count = sheet.getLastRow() - 1; // below the header
  for (let done = 0; done < count; done += MOST) {
    const rows = Math.min(MOST, count - done);
    const emails = sheet.getRange(done + 2, 1, rows).getValues().map((row) => String(row[0]));
    const response = UrlFetchApp.fetch(`${BASE}/check-emails`, {
      method: "post",
      contentType: "application/json",
      headers: { "X-API-Key": key },
      payload: JSON.stringify({ emails }),
    });
    const { results } = JSON.parse(response.getContentText());
    const verdicts = results.map((one) => [one.category, one.type]);
    sheet.getRange(done + 2, 2, rows, 2).setValues(verdicts);
  }
}
