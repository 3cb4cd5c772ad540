import { systemClock } from '@mintmark/internal'

/** Returns when the previous secrets expire: in an hour, which leaves time to paste the new one. In seconds since 1970. */
export const previousSecretsExpiry = (): number => Math.floor(systemClock()) + 3600
