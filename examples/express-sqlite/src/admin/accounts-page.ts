import { AdminError, type AccountPage, type AccountView, type Administration, type PageRequest } from '@mintmark/admin'

import { html, type Markup } from '../site/html.ts'
import { accountName } from './account-name.ts'
import { adminResponse, type AdminPage } from './admin-page.ts'
import { addressOf, nextLink, pageRequestOf } from './page-address.ts'

/** The accounts, all of them or those that a filter finds. */
export const accountsPage: AdminPage = async ({ request, admin }) => {
  const filter = request.url.searchParams.get('filter') ?? ''
  const found = await search({ ...pageRequestOf(request), filter }, admin)
  const problem = 'problem' in found ? found.problem : undefined
  return adminResponse({
    title: 'Accounts',
    part: '/admin/accounts',
    intro: html`Whoever can sign in: the host’s own people, and those whom a directory provisions.`,
    status: problem === undefined ? 200 : 400,
    body: html`${searchForm(filter, problem)}
${'problem' in found ? undefined : html`<section aria-labelledby="found"><h2 id="found">Found: ${String(found.total)}</h2>${table(found.items)}${nextLink(request, found.next)}</section>`}`,
  })
}

/** A filter that is none is told beside the box that it was typed in. Every other refusal has the page of refusals. */
async function search({ filter, ...page }: PageRequest & { readonly filter: string }, { accounts }: Administration): Promise<AccountPage | { readonly problem: string }> {
  try {
    return await accounts.list(filter === '' ? page : { ...page, filter })
  } catch (error) {
    if (error instanceof AdminError && error.reason.startsWith('filter_')) return { problem: error.detail }
    throw error
  }
}

const searchForm = (filter: string, problem: string | undefined): Markup => html`<form class="search" method="get" action="/admin/accounts" role="search">
<label for="filter">Filter, as in SCIM</label>
<input type="search" id="filter" name="filter" value="${filter}" autocomplete="off" autocapitalize="none" spellcheck="false" aria-describedby="filter-help"${problem === undefined ? undefined : html` aria-invalid="true"`}>
<p class="fine" id="filter-help">${problem === undefined ? undefined : html`<strong role="alert">${problem}</strong> `}Such as <code>claims.email ew "@example.org" and active eq true</code></p>
<div><button type="submit">Search</button></div>
</form>`

const table = (accounts: readonly AccountView[]): Markup => html`<table>
<thead><tr><th scope="col">Name</th><th scope="col">State</th></tr></thead>
<tbody>${accounts.map(
  (account) =>
    html`<tr><td><a href="${addressOf('/admin/account', account.userId)}">${accountName(account)}</a></td><td>${account.active ? 'active' : 'deactivated'}</td></tr>`,
)}</tbody>
</table>`
