import * as z from 'zod'

import { anyObject, pageAnswer, seconds } from './common-schema.ts'

/** A page of a log, the newest first. */
export const logAnswer = pageAnswer(
  z.strictObject({ entry_id: z.string(), at: seconds, type: z.string(), detail: anyObject }),
)
