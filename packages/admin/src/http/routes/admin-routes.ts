import { defineRoute, type AdminRoute } from '../admin-route.ts'
import { pageQuery } from '../wire/common-schema.ts'
import { logAnswer } from '../wire/log-schema.ts'
import { accountRoutes } from './account-routes.ts'
import { clientRoutes } from './client-routes.ts'
import { grantRoutes } from './grant-routes.ts'
import { organizationRoutes } from './organization-routes.ts'
import { providerRoutes } from './provider-routes.ts'

const auditRoute = defineRoute({
  method: 'GET',
  path: '/audit',
  area: 'audit',
  access: 'read',
  summary: 'Lists what administrators did, the newest first.',
  query: pageQuery,
  status: 200,
  answer: logAnswer,
  handle: async ({ admin, query }) => ({ body: await admin.audit.list(query) }),
})

/** Every route: what is served, and what the OpenAPI document says. */
export const adminRoutes: readonly AdminRoute[] = [
  ...clientRoutes,
  ...providerRoutes,
  ...accountRoutes,
  ...grantRoutes,
  ...organizationRoutes,
  auditRoute,
]
