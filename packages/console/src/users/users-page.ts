import { cleanName } from '@mintmark/internal'
import { address, attribute, fill, html, renderName } from '@mintmark/pages/internal'
import type { JsonObject } from '@mintmark/storage-interface'

import { at } from '../api.ts'
import { pageLinks, table } from '../elements/table.ts'
import { count, time } from '../elements/time.ts'
import { refusalNotice } from '../elements/notice.ts'
import { head } from '../layout.ts'
import { ApiError } from '../refusals.ts'
import { numberOf, recordsOf, textOf } from '../values.ts'
import type { Page, Visit } from '../visit.ts'
import { stateOf, userName } from './user.ts'
import { userFilter } from './user-filter.ts'

/** Lists the users, or those that match a text or a filter. */
export const usersPage: Page = async (visit) => {
  const { request, api, messages } = visit
  const text = request.url.searchParams.get('q')?.trim() ?? ''
  const query = {
    limit: '50',
    after: request.url.searchParams.get('after') ?? undefined,
    filter: text === '' ? undefined : userFilter(text),
  }
  const found = await api.attempt({ method: 'GET', path: '/users', query })
  const isRefused = found instanceof ApiError
  if (isRefused && !found.code.startsWith('filter_')) throw found
  return visit.show({
    title: messages.sections.users,
    section: 'users',
    status: isRefused ? found.status : 200,
    body: html`${head(messages.sections.users)}
${isRefused ? refusalNotice(found, messages) : undefined}
${searchForm(text, isRefused, visit)}
${isRefused ? undefined : results(found, visit)}`,
  })
}

function searchForm(text: string, isRefused: boolean, { link, messages }: Visit) {
  const { searchLabel, searchHint } = messages.users
  return html`<form class="search" method="get" ${address('action', link('/users'))} role="search">
<div class="field">
<label for="q">${searchLabel}</label>
<input id="q" name="q" type="search" value="${text}" autocomplete="off" autocapitalize="none" spellcheck="false" dir="auto"
  aria-describedby="q-hint" ${attribute('aria-invalid', isRefused ? 'true' : undefined)}>
</div>
<button type="submit">${messages.buttons.search}</button>
</form>
<p class="fine" id="q-hint">${searchHint}</p>`
}

function results(found: JsonObject, visit: Visit) {
  const { messages } = visit
  const { labels } = messages
  return html`<section aria-labelledby="found">
<h2 id="found">${fill(messages.total, { count: count(numberOf(found['total']) ?? 0, messages) })}</h2>
${table(
  {
    title: messages.sections.users,
    id: 'users',
    columns: [labels.name, labels.username, labels.email, labels.state, labels.source, labels.created],
    rows: recordsOf(found['items']).map((user) => userRow(user, visit)),
  },
  visit,
)}
${pageLinks(visit, textOf(found['next']))}
</section>`
}

function userRow(user: JsonObject, { link, messages }: Visit) {
  const { name, username, email } = userName(user)
  return [
    html`<a ${address('href', link(at`/users/${textOf(user['user_id'])}`))}>${renderName(name, messages.unnamed)}</a>`,
    username,
    breakable(email),
    stateOf(user, messages),
    textOf(user['provider_id']) || messages.users.host,
    time(user['created_at'], messages),
  ]
}

/** A narrow column breaks an address behind its "@", and not within a word. */
function breakable(email: string) {
  const [name = '', ...rest] = cleanName(email).split('@')
  return html`<bdi>${name}${rest.map((part) => html`@<wbr>${part}`)}</bdi>`
}
