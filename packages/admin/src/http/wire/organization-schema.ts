import * as z from 'zod'

import { optionally, pageAnswer, seconds, texts, version } from './common-schema.ts'

const displayName = z.string().min(1).max(200)

export const organizationBody = z.strictObject({
  display_name: displayName,
  ...optionally({ organization_id: z.string().min(1).max(255) }),
})

/** What is left out stays. */
export const organizationChangeBody = z.strictObject(optionally({ display_name: displayName }))

export const organizationAnswer = z.strictObject({
  organization_id: z.string(),
  display_name: z.string(),
  created_at: seconds,
  updated_at: seconds,
  version,
})

export const organizationsAnswer = pageAnswer(organizationAnswer)

export const memberBody = z.strictObject({ roles: texts(100, 50) })

export const memberAnswer = z.strictObject({
  organization_id: z.string(),
  user_id: z.string(),
  roles: z.array(z.string()),
  created_at: seconds,
  updated_at: seconds,
  version,
})

export const membersAnswer = pageAnswer(memberAnswer)

export const membershipsAnswer = z.strictObject({ items: z.array(memberAnswer) })
