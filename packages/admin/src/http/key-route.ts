import * as z from 'zod'

import { defineRoute } from './admin-route.ts'
import { seconds } from './wire.ts'

const keyAnswer = z.strictObject({
  key_id: z.string(),
  algorithm: z.string(),
  state: z.string(),
  created_at: seconds,
  signs_from: seconds,
  drops_at: seconds.exactOptional(),
})

export const keyRoute = defineRoute({
  method: 'GET',
  path: '/keys',
  area: 'keys',
  access: 'read',
  summary: 'Lists the signing keys of the server, without their private halves.',
  status: 200,
  answer: z.strictObject({ items: z.array(keyAnswer) }),
  handle: async ({ admin }) => ({
    body: { items: (await admin.keys.list()).map(({ age: _age, ...key }) => key) },
  }),
})
