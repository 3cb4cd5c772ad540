import { address, html, renderName } from '@mintmark/pages/internal'

import { seeOther } from '../action.ts'
import { at } from '../api.ts'
import { field } from '../elements/field.ts'
import { changeStatus, refusalNotice } from '../elements/notice.ts'
import { code, facts, pageLinks, table, tableSection } from '../elements/table.ts'
import { time } from '../elements/time.ts'
import { readForm } from '../form.ts'
import { head } from '../layout.ts'
import { ApiError } from '../refusals.ts'
import { recordsOf, textOf, textsOf } from '../values.ts'
import type { Page, Visit } from '../visit.ts'

/** Lists the organizations, with the form that creates one. */
export const organizationsPage: Page = (visit) => showOrganizations(visit, undefined)

export const createOrganization: Page = async (visit) => {
  const name = readForm(visit.request).text('name')
  const created = await visit.api.attempt({ method: 'POST', path: '/organizations', body: { display_name: name } })
  if (!(created instanceof ApiError)) return seeOther(visit, at`/organizations/${textOf(created['organization_id'])}`)
  if (created.status !== 400) throw created
  return showOrganizations(visit, { name, error: created })
}

async function showOrganizations(
  visit: Visit,
  refused: { readonly name: string; readonly error: ApiError } | undefined,
) {
  const { request, api, messages, link, caller } = visit
  const { labels, sections, organizations, buttons, unnamed } = messages
  const after = request.url.searchParams.get('after') ?? undefined
  const found = await api.get('/organizations', { limit: '50', after })
  const rows = recordsOf(found['items']).map((organization) => [
    html`<a ${address('href', link(at`/organizations/${textOf(organization['organization_id'])}`))}>${renderName(textOf(organization['display_name']), unnamed)}</a>`,
    code(textOf(organization['organization_id'])),
    time(organization['created_at'], messages),
  ])
  return visit.show({
    title: sections.organizations,
    section: 'organizations',
    status: refused?.error.status ?? 200,
    body: html`${head(sections.organizations)}
<section>
${table(
  {
    title: sections.organizations,
    id: 'organizations',
    columns: [labels.name, labels.identifier, labels.created],
    rows,
  },
  visit,
)}
${pageLinks(visit, textOf(found['next']))}
</section>
${
  caller.can('write', 'organizations')
    ? html`<section aria-labelledby="add">
<h2 id="add">${organizations.add}</h2>
${refused && refusalNotice(refused.error, messages)}
<form method="post" ${address('action', link('/organizations'))}>
${field({ name: 'name', label: labels.name, value: refused?.name ?? '', isRequired: true })}
<div class="buttons"><button class="primary" type="submit">${buttons.create}</button></div>
</form>
</section>`
    : undefined
}`,
  })
}

/** Shows one organization with its members. */
export const organizationPage: Page = async (visit) => {
  const { api, messages, part, request, caller, link } = visit
  const { labels } = messages
  const id = part('organization_id')
  const organization = await api.get(at`/organizations/${id}`)
  const after = request.url.searchParams.get('after') ?? undefined
  const members = await api.get(at`/organizations/${id}/members`, { limit: '50', after })
  const name = textOf(organization['display_name'])
  const rows = recordsOf(members['items']).map((member) => {
    const user = textOf(member['user_id'])
    return [
      caller.can('read', 'users')
        ? html`<a ${address('href', link(at`/users/${user}`))}>${code(user)}</a>`
        : code(user),
      textsOf(member['roles']).join(', '),
      time(member['created_at'], messages),
    ]
  })
  return visit.show({
    title: name,
    section: 'organizations',
    body: html`${head(renderName(name, messages.unnamed))}
${changeStatus(visit)}
<section>${facts([
      [labels.identifier, code(id)],
      [labels.created, time(organization['created_at'], messages)],
    ])}</section>
${tableSection(
  {
    title: messages.organizations.members,
    id: 'members',
    columns: [labels.user, labels.roles, labels.created],
    rows,
  },
  visit,
  pageLinks(visit, textOf(members['next'])),
)}`,
  })
}
