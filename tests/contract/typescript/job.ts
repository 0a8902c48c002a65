// The main job by types that are generated from the document: check, submit, poll, download.
// Arguments: the API's base address, a key. The result is written to the standard output.
import createClient from "openapi-fetch";
import type { paths } from "./winnow.js";

const [baseUrl, key] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl, headers: { "X-API-Key": key } });

const checked = await client.POST("/check-email", {
  params: { query: { email: "bo@mailinator.com" } },
});
if (checked.data?.category !== "black") throw new Error(JSON.stringify(checked));

const list = "email,name\nana@gmail.com,1\nbo@mailinator.com,2\nana@gmail.com,3\nno-address,4\n";
const submitted = await client.POST("/batch-check-emails", {
  body: { file: list, project_name: "Generated" },
  bodySerializer: (body) => {
    if (!("file" in body)) throw new Error("a form, or the same list as JSON");
    const form = new FormData();
    form.set("file", new Blob([body.file]), "list.csv");
    form.set("project_name", body.project_name ?? "");
    return form;
  },
});
if (!submitted.data) throw new Error(JSON.stringify(submitted.error));
const task_id = submitted.data.task_id;

for (let polls = 0; ; polls++) {
  const status = await client.GET("/batch-check-status/{task_id}", { params: { path: { task_id } } });
  if (status.data?.status === "completed") break;
  if (status.data?.status !== "processing" || polls > 600) throw new Error(JSON.stringify(status));
  await new Promise((resolve) => setTimeout(resolve, 100));
}
const link = await client.GET("/batch-task-download/{task_id}", { params: { path: { task_id } } });
if (!link.data) throw new Error(JSON.stringify(link.error));
process.stdout.write(await (await fetch(link.data.download_url)).text());
