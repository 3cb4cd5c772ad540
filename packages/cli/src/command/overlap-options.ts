import type { Command } from 'commander'

import { parseDuration } from '../duration.ts'
import type { Io } from '../io.ts'
import type { ConfigOptions } from '../place/place-options.ts'
import type { ShowOptions } from '../show.ts'

/** When the secrets before a new one end. */
export interface OverlapOptions extends ConfigOptions, ShowOptions {
  /** In seconds. */
  readonly previousEndsIn?: number
}

/** Adds the flags of a new secret. */
export const withOverlap = (command: Command): Command =>
  command
    .option(
      '--previous-ends-in <time>',
      'ends the secrets before it after 30m, 24h, 7d …; left out, they work on',
      parseDuration,
    )
    .option('--json', 'print JSON')

/** When that is. */
export const previousExpiry = ({
  previousEndsIn,
  io,
}: OverlapOptions & { readonly io: Io }): { readonly previousExpiresAt?: number } =>
  previousEndsIn === undefined ? {} : { previousExpiresAt: io.clock() + previousEndsIn }
