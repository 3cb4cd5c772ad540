import { Command } from 'commander'

import { parseCount } from '../duration.ts'
import type { Io } from '../io.ts'
import { withStorage, type OpenedConfig } from '../place/open-storage.ts'
import { withConfig, type ConfigOptions } from '../place/place-options.ts'

interface PurgeOptions extends ConfigOptions {
  readonly batch: number
}

/** `mintmark purge`: clears away what has expired. */
export const purgeCommand = (io: Io): Command =>
  withConfig(new Command('purge'))
    .description('clears away what has expired, in batches; it may be cut off and started again at any time')
    .option('--batch <rows>', 'how many rows a batch has', parseCount, 1000)
    .action((options: PurgeOptions) => withStorage(options, io, ({ storage }) => purge(storage, options, io)))

async function purge(
  { purge }: Pick<OpenedConfig['storage'], 'purge'>,
  { batch }: PurgeOptions,
  io: Io,
): Promise<void> {
  let total = 0
  for (let done = false; !done;) {
    const outcome = await purge.purgeExpired({ now: io.clock(), limit: batch })
    total += outcome.removed
    done = outcome.done
    io.progress?.(done ? '' : `${total} rows removed …`)
  }
  io.out(`Removed ${total} ${total === 1 ? 'row' : 'rows'}.`)
}
