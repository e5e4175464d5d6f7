// Makes every call that the API's own client for Node.js has and the emulator answers, and compares each answer with the oracle.
//
// node calls.mjs PACKAGE BASE_URL TOKEN, in the directory with node_modules, prints a JSON object: has (the client's requests as
// [method, path]), values (how many values were compared) and unlike (answers that do not fit the client's types, by call and place). It
// ends with an error when a value is not the oracle's.
import { createRequire } from 'node:module';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const [name, baseUrl, token] = process.argv.slice(2);
const require = createRequire(process.cwd() + '/');
const [clientName, Client] = Object.entries(require(name)).find(([key]) => key.endsWith('Client'));
const client = new Client({ token, baseUrl, environment: baseUrl, maxRetries: 0 });

// The requests of the client, from its source.
const has = new Set();
const resources = path.join(path.dirname(require.resolve(name)), 'api', 'resources');
for (const file of readdirSync(resources, { recursive: true })) {
  if (!file.endsWith('Client.js') || file.startsWith('unstable')) continue;
  const source = readFileSync(path.join(resources, file), 'utf8');
  for (const [, place, method] of source.matchAll(/UsProduction, (["`].*?["`])\),\s*method: "([A-Z]+)"/gs)) {
    has.add(method + ' /' + place.slice(1, -1).replace(/\$\{[^}]*\}/g, '{}'));
  }
}

let values = 0;
const answers = {};

// ask makes a call by its name, such as contacts.find, and keeps the first answers of each call.
async function ask(call, ...args) {
  const parts = call.split('.');
  const method = parts.pop();
  const answer = await parts.reduce((at, part) => at[part], client)[method](...args);
  const isPage = answer !== null && typeof answer === 'object' && 'hasNextPage' in answer;
  (answers[call] ??= []).length < 4 && answers[call].push(isPage ? answer.response : answer);
  return answer;
}

// read reads a list to its end.
async function read(call, ...args) {
  const found = [];
  for await (const record of await ask(call, ...args)) found.push(record);
  return found;
}

const get = async (at, body) => (await fetch(baseUrl + at, body && { method: 'POST', body: JSON.stringify(body) })).json();
const rowsOf = (stream) => get('/_oracle/' + stream);
const oracle = async (stream, key = 'id') => Object.fromEntries((await rowsOf(stream)).map((row) => [String(row[key]), row]));

function equal(what, got, want) {
  values++;
  const empty = (value) => [undefined, null, '', 0].includes(value);
  if (String(got) !== String(want) && !(empty(got) && empty(want))) throw new Error(`${what} is ${got}, in the oracle ${want}`);
}

// same compares columns of a record with a row of the oracle; elsewhere has a function for each column with another name.
function same(what, record, row, columns, elsewhere = {}) {
  for (const column of columns.split(' ')) equal(`${column} of ${what} ${record.id}`, record[column], row[column]);
  for (const [column, find] of Object.entries(elsewhere)) equal(`${column} of ${what} ${record.id}`, find(record), row[column]);
}

async function one(record, stream, columns, elsewhere, key = 'id') {
  same(stream, record, (await oracle(stream, key))[String(record.id)], columns, elsewhere);
  return record;
}

// all compares a whole list with a stream of the oracle, or with its rows for which of is true.
async function all(found, stream, columns, { key = 'id', of = () => true, elsewhere } = {}) {
  const rows = Object.fromEntries(Object.entries(await oracle(stream, key)).filter(([, row]) => of(row)));
  equal('the ids of ' + stream, found.map((r) => String(r.id)).sort(), Object.keys(rows).sort());
  for (const record of found) same(stream, record, rows[String(record.id)], columns, elsewhere);
  return found;
}

const CONTACT = 'role email phone name external_id created_at updated_at signed_up_at last_seen_at language_override browser os';
const COMPANY = 'company_id app_id name website industry created_at updated_at monthly_spend session_count size user_count';
const CONVERSATION = 'title created_at updated_at waiting_since open state read admin_assignee_id team_assignee_id';
const TICKET = 'category created_at updated_at open is_shared admin_assignee_id team_assignee_id';
// Bodies of versions up to 2.16 have no references to dynamic content, which the oracle has.
const ARTICLE = 'title description author_id state created_at updated_at url default_locale';
const INTERNAL = 'title body author_id owner_id locale created_at updated_at';
const NEWS = 'title body sender_id state created_at updated_at';
const ADMIN = 'name email away_mode_enabled away_mode_reassign has_inbox_seat';
const NOTE = 'body created_at';
const COLLECTION = 'name description created_at updated_at order';
// The client's examples send times as text.
const everything = (per_page) => ({ query: { field: 'created_at', operator: '>', value: '1' }, pagination: { per_page } });

// Admins and the activity log.
const me = await one(await ask('admins.identify'), 'admins', ADMIN);
for (const admin of await all((await ask('admins.list')).admins, 'admins', ADMIN)) {
  if (Number.isSafeInteger(Number(admin.id))) await one(await ask('admins.find', { admin_id: Number(admin.id) }), 'admins', ADMIN);
}
const logs = await oracle('admin_activity_logs');
for (const log of (await ask('admins.listAllActivityLogs', { created_at_after: '1600000000' })).activity_logs) {
  same('log', log, logs[log.id], 'activity_type activity_description created_at');
}

// Contacts, and what belongs to them.
const contacts = await all(await read('contacts.list', { per_page: 50 }), 'contacts', CONTACT);
await all(await read('contacts.search', everything(50)), 'contacts', CONTACT);
await one(await ask('contacts.find', { contact_id: contacts[0].id }), 'contacts', CONTACT);
const known = contacts.find((c) => c.external_id && c.role === 'user');
await one(await ask('contacts.showContactByExternalId', { external_id: known.external_id }), 'contacts', CONTACT);
const made = await one(await ask('contacts.create', { external_id: 'js-1', email: 'js@example.com', name: 'Zoë' }), 'contacts', CONTACT);
await one(await ask('contacts.update', { contact_id: made.id, phone: '+4930123', custom_attributes: { plan: 'Pro' } }), 'contacts', CONTACT);
const lead = await ask('contacts.create', { role: 'lead', name: 'Lead' });
const company = await one(await ask('companies.createOrUpdate', { company_id: 'js-firm', name: 'Neu & Söhne', monthly_spend: 12 }), 'companies', COMPANY);
await one(await ask('companies.attachContact', { contact_id: lead.id, id: company.id }), 'companies', COMPANY);
const note = await ask('notes.create', { contact_id: lead.id, body: '<p>Hallo</p>', admin_id: me.id });
const wholeNote = { author_id: (n) => n.author.id, contact_id: (n) => n.contact.id };
await one(note, 'contact_note_texts', NOTE, wholeNote, 'note_id');
await one(await ask('notes.find', { note_id: Number(note.id) }), 'contact_note_texts', NOTE, wholeNote, 'note_id');
await one(await ask('contacts.mergeLeadInUser', { from: lead.id, into: made.id }), 'contacts', CONTACT);
await all(await read('notes.list', { contact_id: made.id }), 'contact_note_texts', NOTE, { key: 'note_id', of: (r) => r.contact_id === made.id });
await all(await read('contacts.listAttachedCompanies', { contact_id: made.id }), 'companies', COMPANY, { of: (r) => r.id === company.id });
for (const [links, key, call] of [['contact_tags', 'tag_id', 'contacts.listAttachedTags'], ['contact_subscriptions', 'subscription_id', 'contacts.listAttachedSubscriptions']]) {
  const rows = await rowsOf(links);
  for (const contact_id of new Set(rows.slice(0, 40).map((r) => r.contact_id))) {
    const found = (await ask(call, { contact_id })).data;
    equal(links, found.map((x) => x.id).sort(), rows.filter((r) => r.contact_id === contact_id).map((r) => r[key]).sort());
  }
}
const segments = await oracle('segments');
for (const segment of (await ask('contacts.listAttachedSegments', { contact_id: made.id })).data) same('segment', segment, segments[segment.id], 'name created_at updated_at person_type');
const link = (await rowsOf('contact_subscriptions'))[0];
await one(await ask('contacts.detachSubscription', link), 'subscription_types', 'consent_type');
equal('subscriptions left', (await rowsOf('contact_subscriptions')).filter((r) => r.contact_id === link.contact_id && r.subscription_id === link.subscription_id).length, 0);
const lifecycle = async (id) => (await oracle('contact_lifecycle'))[id].lifecycle;
const gone = { contact_id: (await ask('contacts.create', { role: 'lead' })).id };
equal('archived', [(await ask('contacts.archive', gone)).archived, await lifecycle(gone.contact_id)], [true, 'archived']);
equal('unarchived', [(await ask('contacts.unarchive', gone)).archived, await lifecycle(gone.contact_id)], [false, 'active']);
equal('blocked', [(await ask('contacts.blockContact', gone)).blocked, await lifecycle(gone.contact_id)], [true, 'blocked']);
const left = await ask('contacts.create', { role: 'lead' });
const deleted = await ask('contacts.delete', { contact_id: left.id });
equal('deleted', [deleted.deleted, deleted.id, (await lifecycle(left.id)).includes('delet')], [true, left.id, true]);
await one(await ask('visitors.mergeToContact', { type: 'user', user: { user_id: 'js-1' }, visitor: { user_id: 'nobody' } }), 'contacts', CONTACT);

// Companies.
await all(await read('companies.list', { per_page: 15 }), 'companies', COMPANY);
await all(await read('companies.scroll'), 'companies', COMPANY);
await one(await ask('companies.find', { company_id: company.id }), 'companies', COMPANY);
equal('contacts of a company', (await ask('companies.listAttachedContacts', { company_id: company.id })).data.map((c) => c.id), [made.id]);
const ofFirms = await rowsOf('company_segments');
const firm = ofFirms[0].company_id;
equal('segments of a company', (await ask('companies.listAttachedSegments', { company_id: firm })).data.map((s) => s.id).sort(), ofFirms.filter((r) => r.company_id === firm).map((r) => r.segment_id).sort());
await one(await ask('companies.detachContact', { contact_id: made.id, company_id: company.id }), 'companies', COMPANY);

// Conversations and messages.
const talks = await all(await read('conversations.list', { per_page: 20 }), 'conversations', CONVERSATION);
await all(await read('conversations.search', everything(20)), 'conversations', CONVERSATION);
const begun = (await ask('conversations.create', { from: { type: 'user', id: made.id }, body: '<p>Hilfe</p>' })).conversation_id;
await one(await ask('conversations.find', { conversation_id: begun }), 'conversations', CONVERSATION, { source_body: (c) => c.source.body });
await one(await ask('conversations.update', { conversation_id: begun, title: 'Titel', read: true, company_id: company.id }), 'conversations', CONVERSATION);
let talk = await ask('conversations.reply', { conversation_id: begun, body: { message_type: 'comment', type: 'admin', admin_id: me.id, body: '<p>Gern</p>' } });
await one(talk, 'conversations', CONVERSATION);
for (const body of [{ message_type: 'assignment', type: 'admin', admin_id: me.id, assignee_id: '5' }, { message_type: 'close', type: 'admin', admin_id: me.id },
  { message_type: 'open', admin_id: me.id }, { message_type: 'snoozed', admin_id: me.id, snoozed_until: 2000000000 }]) {
  talk = await one(await ask('conversations.manage', { conversation_id: begun, body }), 'conversations', CONVERSATION);
}
const partRows = await rowsOf('conversation_parts');
const parts = Object.fromEntries(partRows.filter((r) => r.conversation_id === begun).map((r) => [r.id, r]));
equal('parts', talk.conversation_parts.conversation_parts.map((p) => p.id).sort(), Object.keys(parts).sort());
for (const part of talk.conversation_parts.conversation_parts) same('part', part, parts[part.id], 'part_type body created_at', { author_id: (p) => p.author.id });
for (const other of talks.slice(0, 20)) {
  const whole = await one(await ask('conversations.find', { conversation_id: other.id }), 'conversations', CONVERSATION);
  equal('parts', whole.conversation_parts.total_count, partRows.filter((r) => r.conversation_id === other.id).length);
}
const sent = await ask('messages.create', { message_type: 'inapp', body: 'Hallo', from: { type: 'admin', id: 814860 }, to: { type: 'user', id: made.id } });
same('message', sent, (await oracle('conversations', 'source_id'))[sent.id], 'created_at', { source_body: (x) => x.body, id: (x) => x.conversation_id });

// Tickets and jobs.
await all(await read('tickets.search', everything(20)), 'tickets', TICKET, { elsewhere: { number: (t) => t.ticket_id } });
const types = await all((await ask('ticketTypes.list')).data, 'ticket_types', 'name category archived');
const asked = { ticket_type_id: types.find((k) => !k.archived && k.category === 'Customer').id, contacts: [{ id: made.id }], ticket_attributes: { Größe: 'S' } };
const ticket = await one(await ask('tickets.create', { ...asked, assignment: { admin_assignee_id: '5' } }), 'tickets', TICKET);
await one(await ask('tickets.get', { ticket_id: ticket.id }), 'tickets', TICKET);
const states = await all((await ask('ticketStates.listTicketStates')).data, 'ticket_states', 'category internal_label external_label');
const working = states.find((s) => s.category === 'in_progress').id;
await one(await ask('tickets.update', { ticket_id: ticket.id, ticket_state_id: working, assignee_id: '814861', admin_id: 814860 }), 'tickets', TICKET, { ticket_state_id: () => working });
const reply = await ask('tickets.reply', { ticket_id: ticket.id, body: { message_type: 'comment', type: 'admin', admin_id: me.id, body: '<p>Gern</p>' } });
same('reply', reply, (await rowsOf('ticket_parts')).filter((r) => r.ticket_id === ticket.id).at(-1), 'id part_type body created_at');
const job = await ask('tickets.enqueueCreateTicket', asked);
equal('a job', (await ask('jobs.status', { job_id: job.id })).status, 'pending');
await get('/_emulator/advance?by=10m', {});
const done = await ask('jobs.status', { job_id: job.id });
equal('a job', done.status, 'success');
await one(await ask('tickets.get', { ticket_id: done.resource_id }), 'tickets', TICKET);

// Small lists.
const tags = await all((await ask('tags.list')).data, 'tags', 'name');
await one(await ask('tags.find', { tag_id: tags[7].id }), 'tags', 'name');
await all((await ask('teams.list')).teams, 'teams', 'name');
await one(await ask('teams.find', { team_id: '814865' }), 'teams', 'name');
for (const segment of await all((await ask('segments.list', { include_count: true })).segments, 'segments', 'name created_at updated_at person_type count')) {
  await one(await ask('segments.find', { segment_id: segment.id }), 'segments', 'name created_at updated_at person_type');
}
await all((await ask('subscriptionTypes.list')).data, 'subscription_types', 'state consent_type');
const attributes = await rowsOf('data_attributes');
for (const attribute of (await ask('dataAttributes.list', { include_archived: true })).data) {
  same('attribute', attribute, attributes.find((r) => r.model === attribute.model && r.full_name === attribute.full_name), 'label custom archived');
}
await all(await read('helpCenters.list'), 'help_centers', 'identifier display_name created_at');

// Calls.
const listed = [];
for (let page = 1, answer; !answer || answer.pages.next; page++) listed.push(...(answer = await ask('calls.listCalls', { page, per_page: 25 })).data);
await all(listed, 'calls', 'conversation_id contact_id state direction call_type ended_reason phone');
await one(await ask('calls.showCall', { call_id: listed[0].id }), 'calls', 'conversation_id contact_id state');
try {
  await ask('calls.showCallRecording', { call_id: listed.find((c) => c.recording_url).id });
} catch { /* it follows the redirect of the document to an address that leads nowhere */ }
const [ended] = await rowsOf('call_transcripts');
await ask('calls.showCallTranscript', { call_id: ended.call_id });
const found = (await ask('calls.listCallsWithTranscripts', { conversation_ids: [ended.conversation_id] })).data;
equal('calls of a conversation', found.some((c) => c.id === ended.call_id), true);

// Content.
const articles = await all(await read('articles.list', { per_page: 25 }), 'articles', ARTICLE);
await one(await ask('articles.find', { article_id: Number(articles[0].id) }), 'articles', ARTICLE);
const article = await one(await ask('articles.create', { title: 'Über Kraken', author_id: 814860, body: '<p>acht Arme</p>', state: 'published' }), 'articles', ARTICLE + ' body');
await one(await ask('articles.update', { article_id: Number(article.id), title: 'Kraken' }), 'articles', ARTICLE);
const hits = (await ask('articles.search', { phrase: 'kraken', state: 'published', highlight: true })).data;
equal('articles found', hits.articles.map((a) => a.id), [article.id]);
equal('the phrase', hits.highlights[0].highlighted_title[0].text, 'Kraken');
const removed = async (call, args, stream, id) => equal('deleted', [(await ask(call, args)).deleted, String(id) in (await oracle(stream))], [true, false]);
await removed('articles.delete', { article_id: Number(article.id) }, 'articles', article.id);
const internal = await oracle('internal_articles');
for (const item of (await ask('internalArticles.listInternalArticles')).data) same('internal article', item, internal[String(item.id)], INTERNAL);
const item = await one(await ask('internalArticles.createInternalArticle', { title: 'Intern', author_id: 814860, owner_id: 814860, body: '<p>x</p>', locale: 'en' }), 'internal_articles', INTERNAL);
const itself = { internal_article_id: Number(item.id) };
await one(await ask('internalArticles.retrieveInternalArticle', itself), 'internal_articles', INTERNAL);
await one(await ask('internalArticles.updateInternalArticle', { ...itself, title: 'Anders' }), 'internal_articles', INTERNAL);
const searched = (await ask('internalArticles.searchInternalArticles', {})).data.internal_articles;
equal('internal articles found', searched.length > 10 && searched.every((a) => a.id === item.id || String(a.id) in internal), true);
await removed('internalArticles.deleteInternalArticle', itself, 'internal_articles', item.id);
const collections = await all(await read('helpCenters.collections.list', { per_page: 20 }), 'collections', COLLECTION);
await one(await ask('helpCenters.collections.find', { collection_id: Number(collections[0].id) }), 'collections', COLLECTION);
const feeds = (await ask('news.feeds.list')).data;
for (const feed of feeds) await one(feed, 'newsfeeds', 'name created_at updated_at');
await one(await ask('news.feeds.find', { newsfeed_id: feeds[0].id }), 'newsfeeds', 'name created_at updated_at');
const news = await one(await ask('news.items.create', { title: 'Neu', sender_id: 814860, body: '<p>Neu</p>', state: 'live', newsfeed_assignments: [{ newsfeed_id: Number(feeds[0].id), published_at: 1710000000 }] }), 'news_items', NEWS);
const newsRows = await oracle('news_items');
equal('items of a newsfeed', (await ask('news.feeds.listItems', { newsfeed_id: feeds[0].id })).data.every((i) => String(i.id) in newsRows), true);
for (const listedItem of (await ask('news.items.list')).data) same('news', listedItem, newsRows[String(listedItem.id)], NEWS);
await one(await ask('news.items.find', { news_item_id: Number(news.id) }), 'news_items', NEWS);
await one(await ask('news.items.update', { news_item_id: Number(news.id), title: 'Anders', sender_id: 814860 }), 'news_items', NEWS);
await removed('news.items.delete', { news_item_id: Number(news.id) }, 'news_items', news.id);

// Reporting exports.
const chosen = (await ask('export.listAvailableDatasetsAndAttributes')).data.find((d) => d.id === 'conversation');
const attribute_ids = chosen.attributes.slice(0, 3).map((a) => a.qualified_id ?? a.id);
const started = await ask('export.enqueueANewReportingDataExportJob', { dataset_id: 'conversation', attribute_ids, start_time: 1710000000, end_time: 1718000000 });
await get('/_emulator/advance?by=1h', {});
const status = await ask('dataExport.exportReportingData', { job_identifier: started.job_identifier, app_id: 'x', client_id: 'x' });
equal('an export', [status.status, Boolean(status.download_url)], ['complete', true]);
await ask('dataExport.downloadReportingDataExport', { job_identifier: started.job_identifier, app_id: 'x' });

// Each answer becomes a constant of the type that the client promises, and the compiler says what does not fit.
const lines = [`import type { ${clientName} as Client } from '${name}';`,
  'type Answer<F> = F extends (...args: any[]) => PromiseLike<infer R> ? (R extends { hasNextPage(): boolean; response: infer B } ? B : R) : never;',
  '// Loose takes more fields than a type has. Null fits every type: the client does not tell where it comes.',
  'type Loose<T> = T extends readonly (infer U)[] ? Loose<U>[] : T extends object ? { [K in keyof T]: Loose<T[K]> } & { [more: string]: any } : T;'];
const nothing = '\u0000null';
const callOf = [];
for (const [call, list] of Object.entries(answers)) {
  for (const answer of list.filter((a) => a !== undefined)) {
    lines.push(`const a${callOf.length}: Loose<Answer<Client["${call.split('.').join('"]["')}"]>> =`, JSON.stringify(answer, (_, value) => value ?? nothing, 1).replaceAll(JSON.stringify(nothing), 'null!') + ';');
    callOf.push(call);
  }
}
writeFileSync('answers.ts', lines.join('\n') + '\n');
const ts = require('typescript');
const program = ts.createProgram(['answers.ts'], { noEmit: true, strict: true, skipLibCheck: true, noErrorTruncation: true, target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext });
const unlike = {};
for (const problem of ts.getPreEmitDiagnostics(program)) {
  if (problem.file?.fileName !== 'answers.ts') throw new Error(ts.flattenDiagnosticMessageText(problem.messageText, ' '));
  let at = '';
  for (let node = ts.getTokenAtPosition(problem.file, problem.start); node; node = node.parent) {
    if (ts.isPropertyAssignment(node)) at = '.' + node.name.text + at;
    if (node.parent && ts.isArrayLiteralExpression(node.parent)) at = '[]' + at;
    if (ts.isVariableDeclaration(node)) at = callOf[node.name.text.slice(1)] + ' ' + at.replace(/^\./, '');
  }
  const words = ts.flattenDiagnosticMessageText(problem.messageText, ' ');
  const [missing] = words.match(/[a-z_]+(, [a-z_]+)*$/) ?? [''];
  unlike[words.includes('is missing the following') ? `${at}: ${missing}` : at] = words.slice(0, 200);
}
process.stdout.write(JSON.stringify({ has: [...has].sort().map((line) => line.split(' ')), values, unlike }));
