import { html } from '../site/html.ts'
import { adminResponse, type AdminPage } from './admin-page.ts'
import { addressOf, nextLink, pageRequestOf } from './page-address.ts'
import { subjectTable } from './subject-table.ts'

/** The clients. */
export const clientsPage: AdminPage = async ({ request, admin }) => {
  const { items, next } = await admin.clients.list(pageRequestOf(request))
  const subjects = items.map(({ clientId, clientName, disabledAt }) => ({
    address: addressOf('/admin/client', clientId),
    name: clientName,
    state: disabledAt === undefined ? 'in use' : 'disabled',
  }))
  return adminResponse({
    title: 'Clients',
    part: '/admin/clients',
    intro: html`Nobody registers an app themselves: only an administrator does.`,
    body: html`<section>${subjectTable(subjects)}${nextLink(request, next)}</section>`,
  })
}
