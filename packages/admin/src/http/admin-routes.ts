import * as z from 'zod'

import { defineRoute, type AdminRoute } from './admin-route.ts'
import { agentRoutes } from './agent-routes.ts'
import { callerRoute } from './caller-route.ts'
import { clientRoutes } from './client-routes.ts'
import { deliveryRoutes } from './delivery-routes.ts'
import { grantRoutes } from './grant-routes.ts'
import { initialAccessTokenRoutes } from './initial-access-token-routes.ts'
import { keyRoute } from './key-route.ts'
import { organizationRoutes } from './organization-routes.ts'
import { providerRoutes } from './provider-routes.ts'
import { targetRoutes } from './target-routes.ts'
import { userRoutes } from './user-routes.ts'
import { webhookRoutes } from './webhook-routes.ts'
import { identifier, logAnswer, pageMembers } from './wire.ts'

const auditRoute = defineRoute({
  method: 'GET',
  path: '/audit',
  area: 'audit',
  access: 'read',
  summary:
    'Lists the actions of administrators, newest first. With `actor`, `target` or `type`, a page may have fewer entries than `limit`, or none, although it has a `next`.',
  query: z.strictObject({
    ...pageMembers,
    actor: identifier.exactOptional(),
    target: identifier.exactOptional(),
    type: identifier.exactOptional(),
  }),
  status: 200,
  answer: logAnswer,
  handle: async ({ admin, query }) => ({ body: await admin.audit.list(query) }),
})

/** All routes. The server and the OpenAPI document use the same table. */
export const adminRoutes: readonly AdminRoute[] = [
  ...clientRoutes,
  ...initialAccessTokenRoutes,
  ...agentRoutes,
  ...providerRoutes,
  ...userRoutes,
  ...grantRoutes,
  ...organizationRoutes,
  ...deliveryRoutes,
  ...webhookRoutes,
  ...targetRoutes,
  keyRoute,
  auditRoute,
  callerRoute,
]
