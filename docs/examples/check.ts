// 100 addresses checked in one call, with the fetch of Node 18, Deno, Bun or a browser.
const base = process.env.WINNOW_URL ?? "http://localhost:8501/v1/external-api-requests";
const emails: string[] = Array.from({ length: 100 }, (_, n) => `person${n + 1}@example.com`);

type Check = { email: string; category: "white" | "grey" | "black"; type: string };

const response = await fetch(`${base}/check-emails`, {
  method: "POST",
  headers: { "X-API-Key": process.env.WINNOW_KEY ?? "", "Content-Type": "application/json" },
  body: JSON.stringify({ emails }),
});
if (!response.ok) throw new Error(((await response.json()) as { detail: string }).detail);
const { results } = (await response.json()) as { results: Check[] };
for (const { email, category, type } of results) console.log(email, category, type);
