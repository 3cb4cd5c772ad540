import { html } from '../site/html.ts'
import { adminResponse, type AdminPage } from './admin-page.ts'
import { addressOf, nextLink, pageRequestOf } from './page-address.ts'

/** The clients. */
export const clientsPage: AdminPage = async ({ request, admin }) => {
  const { items, next } = await admin.clients.list(pageRequestOf(request))
  return adminResponse({
    title: 'Clients',
    part: '/admin/clients',
    intro: html`Nobody registers an app themselves: only an administrator does.`,
    body: html`<section><table>
<thead><tr><th scope="col">Name</th><th scope="col">State</th></tr></thead>
<tbody>${items.map(
      ({ clientId, clientName, disabledAt }) =>
        html`<tr><td><a href="${addressOf('/admin/client', clientId)}">${clientName}</a></td><td>${disabledAt === undefined ? 'in use' : 'disabled'}</td></tr>`,
    )}</tbody>
</table>${nextLink(request, next)}</section>`,
  })
}
