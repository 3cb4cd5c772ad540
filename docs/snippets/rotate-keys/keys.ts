import { createStoredKeys } from '@mintmark/core'
import { sealingKey, storage } from './yours.ts'

export const keys = createStoredKeys({
  storage,
  sealingKey,
  schedule: { announce: 86_400, sign: 90 * 86_400, retire: 14 * 86_400 }, // in seconds; the default values
})
