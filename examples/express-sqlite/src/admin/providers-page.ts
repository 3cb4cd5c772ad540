import { html } from '../site/html.ts'
import { adminResponse, type AdminPage } from './admin-page.ts'
import { addressOf, nextLink, pageRequestOf } from './page-address.ts'
import { subjectTable } from './subject-table.ts'

/** The identity providers. */
export const providersPage: AdminPage = async ({ request, admin }) => {
  const { items, next } = await admin.identityProviders.list(pageRequestOf(request))
  const subjects = items.map(({ providerId, displayName, disabledAt }) => ({
    address: addressOf('/admin/provider', providerId),
    name: displayName,
    state: disabledAt === undefined ? 'in use' : 'disabled',
  }))
  return adminResponse({
    title: 'Identity providers',
    part: '/admin/providers',
    intro: html`Directories that create, change and deactivate accounts here, by SCIM 2.0.`,
    body: html`<section>${subjectTable(subjects)}${nextLink(request, next)}</section>`,
  })
}
