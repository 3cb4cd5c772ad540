import * as z from 'zod'

import { defineRoute } from './admin-route.ts'
import { adminAreas, scopesAllow } from './admin-scopes.ts'

const access = z.enum(['none', 'read', 'write'])

/** Tells a console who is signed in and which parts to show. The other routes check each request. */
export const callerRoute = defineRoute({
  method: 'GET',
  path: '/caller',
  area: 'any',
  access: 'read',
  summary: 'Tells who the caller is, and to which areas the caller has access. Write access includes read access.',
  status: 200,
  answer: z.strictObject({
    actor: z.strictObject({ kind: z.enum(['person', 'client', 'host']), id: z.string() }),
    name: z.string().exactOptional(),
    access: z.record(z.enum(adminAreas), access),
  }),
  handle: async ({ caller: { actor, scopes, name } }) => ({
    body: { actor: { kind: actor.kind, id: actor.id }, name, access: accessOf(scopes) },
  }),
})

const accessOf = (scopes: readonly string[]) =>
  Object.fromEntries(
    adminAreas.map((area) => [
      area,
      scopesAllow(scopes, area, 'write') ? 'write' : scopesAllow(scopes, area, 'read') ? 'read' : 'none',
    ]),
  )
