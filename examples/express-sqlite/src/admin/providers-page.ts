import { html } from '../site/html.ts'
import { adminResponse, type AdminPage } from './admin-page.ts'
import { addressOf, nextLink, pageRequestOf } from './page-address.ts'

/** The identity providers. */
export const providersPage: AdminPage = async ({ request, admin }) => {
  const { items, next } = await admin.identityProviders.list(pageRequestOf(request))
  return adminResponse({
    title: 'Identity providers',
    part: '/admin/providers',
    intro: html`Directories that create, change and deactivate accounts here, by SCIM 2.0.`,
    body: html`<section><table>
<thead><tr><th scope="col">Name</th><th scope="col">State</th></tr></thead>
<tbody>${items.map(
      ({ providerId, displayName, disabledAt }) =>
        html`<tr><td><a href="${addressOf('/admin/provider', providerId)}">${displayName}</a></td><td>${disabledAt === undefined ? 'in use' : 'disabled'}</td></tr>`,
    )}</tbody>
</table>${nextLink(request, next)}</section>`,
  })
}
