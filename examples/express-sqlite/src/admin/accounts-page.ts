import { AdminError, type Administration } from '@mintmark/admin'
import type { ServerRequest } from '@mintmark/core/http'

import { html, type Markup } from '../site/html.ts'
import { accountName } from './account-name.ts'
import { adminResponse, type AdminPage } from './admin-page.ts'
import { addressOf, nextLink, pageRequestOf } from './page-address.ts'
import { subjectTable } from './subject-table.ts'

/** The accounts, all of them or those that a filter finds. */
export const accountsPage: AdminPage = async ({ request, admin }) => {
  const filter = request.url.searchParams.get('filter') ?? ''
  const found = await search({ ...pageRequestOf(request), filter }, admin)
  const isFound = 'items' in found
  return adminResponse({
    title: 'Accounts',
    part: '/admin/accounts',
    intro: html`Whoever can sign in: the host’s own people, and those whom a directory provisions.`,
    body: html`${searchForm(filter, isFound ? undefined : found.problem)}${isFound ? results(found, request) : undefined}`,
    status: isFound ? 200 : 400,
  })
}

type UserPage = Awaited<ReturnType<Administration['users']['list']>>
type Search = ReturnType<typeof pageRequestOf> & { readonly filter: string }
type SearchOutcome = UserPage | { readonly problem: string }

/** A filter that is none is told beside the box that it was typed in. Every other refusal has the page of refusals. */
async function search({ filter, ...page }: Search, { users: accounts }: Administration): Promise<SearchOutcome> {
  try {
    return await accounts.list(filter === '' ? page : { ...page, filter })
  } catch (error) {
    if (error instanceof AdminError && error.reason.startsWith('filter_')) return { problem: error.detail }
    throw error
  }
}

function searchForm(filter: string, problem: string | undefined): Markup {
  const invalid = problem === undefined ? undefined : html` aria-invalid="true"`
  return html`<form class="search" method="get" action="/admin/accounts" role="search">
<label for="filter">Filter, as in SCIM</label>
<input type="search" id="filter" name="filter" value="${filter}" aria-describedby="filter-help"${invalid}
  autocomplete="off" autocapitalize="none" spellcheck="false">
<p class="fine" id="filter-help">${problem === undefined ? undefined : html`<strong role="alert">${problem}</strong> `}Such as
<code>claims.email ew "@example.org" and active eq true</code></p>
<div><button type="submit">Search</button></div>
</form>`
}

function results({ items, total, next }: UserPage, request: ServerRequest): Markup {
  const subjects = items.map((account) => ({
    address: addressOf('/admin/account', account.userId),
    name: accountName(account),
    state: account.active ? 'active' : 'deactivated',
  }))
  return html`<section aria-labelledby="found">
<h2 id="found">Found: ${String(total)}</h2>
${subjectTable(subjects)}${nextLink(request, next)}
</section>`
}
