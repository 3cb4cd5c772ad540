import { toleranceProfiles, type ToleranceProfile } from '@mintmark/scim'
import * as z from 'zod'

import { identifier, optionally, pageAnswer, seconds, secretAnswer, texts, version } from './common-schema.ts'

const members = {
  display_name: z.string().min(1).max(200),
  tolerance_profile: z.enum(Object.keys(toleranceProfiles) as [ToleranceProfile, ...ToleranceProfile[]]),
  client_ids: texts(1024),
}

/** Letters, digits and hyphens: it becomes a part of the SCIM Tenant URL. */
export const providerBody = z.strictObject({
  provider_id: z.string().regex(/^[A-Za-z0-9-]{1,64}$/),
  ...optionally(members),
})

/** What is left out stays. */
export const providerChangeBody = z.strictObject(optionally(members))

export const providerAnswer = z.strictObject({
  provider_id: z.string(),
  tenant_url: z.string(),
  display_name: z.string(),
  tolerance_profile: z.string(),
  client_ids: z.array(identifier),
  secrets: z.array(secretAnswer),
  offboarding: z
    .strictObject({ window_started_at: seconds, count: z.int(), held_at: seconds.exactOptional() })
    .exactOptional(),
  disabled_at: seconds.exactOptional(),
  created_at: seconds,
  version,
})

/** With the Secret Token: this is the only answer that has it. */
export const providerWithSecretAnswer = z.strictObject({ provider: providerAnswer, secret: z.string() })

export const secretTokenAnswer = z.strictObject({ secret: z.string() })

export const providersAnswer = pageAnswer(providerAnswer)

export const setupQuery = z.strictObject({ product: z.enum(['entra', 'okta']) })

export const setupAnswer = z.strictObject({
  product: z.enum(['entra', 'okta']),
  fields: z.record(z.string(), z.string()),
  steps: z.array(z.string()),
  text: z.string(),
})
