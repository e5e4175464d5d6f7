// Reads lists to their ends with the client library that is named, and prints their ids as JSON:
// node walk.mjs PACKAGE BASE_URL TOKEN. The library has one class named …Client with a member for each kind of record.
import { createRequire } from 'node:module';

const [name, baseUrl, token] = process.argv.slice(2);
const library = createRequire(process.cwd() + '/')(name);
const [, Client] = Object.entries(library).find(([key]) => key.endsWith('Client'));
const client = new Client({ token, baseUrl, environment: baseUrl, maxRetries: 0 });
const everything = (per_page) => ({ query: { field: 'created_at', operator: '>', value: 1 }, pagination: { per_page } });

const walks = {
  contacts: () => client.contacts.list({ per_page: 50 }),
  'contacts by search': () => client.contacts.search(everything(50)),
  conversations: () => client.conversations.list({ per_page: 20 }),
  'conversations by search': () => client.conversations.search(everything(20)),
  companies: () => client.companies.list({ per_page: 15 }),
  'companies by scroll': () => client.companies.scroll(),
  articles: () => client.articles.list(),
};
const found = {};
for (const [walk, list] of Object.entries(walks)) {
  found[walk] = [];
  for await (const record of await list()) found[walk].push(String(record.id));
}
process.stdout.write(JSON.stringify(found));
