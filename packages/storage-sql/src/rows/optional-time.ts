import { epochSeconds, type EpochSeconds } from '@mintmark/storage-interface'

export const optionalTime = (value: number | undefined): EpochSeconds | undefined =>
  value === undefined ? undefined : epochSeconds(value)
