import { Command } from 'commander'

import { parseCount } from './options.ts'
import type { Io } from '../io.ts'
import { withStorage, type OpenedConfig } from '../config/open-storage.ts'
import { withConfig, type ConfigOptions } from '../config/settings.ts'

interface PurgeOptions extends ConfigOptions {
  readonly batch: number
}

/** `mintmark purge`: deletes expired rows. */
export const purgeCommand = (io: Io): Command =>
  withConfig(new Command('purge'))
    .description('deletes expired rows in batches; it can be interrupted and repeated at any time')
    .option('--batch <rows>', 'the number of rows in a batch', parseCount, 1000)
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
