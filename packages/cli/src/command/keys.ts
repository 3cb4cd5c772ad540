import type { AlgorithmRotation, KeyDescription } from '@mintmark/core/internal'
import { Command } from 'commander'

import { CommandError } from '../command-error.ts'
import { durationText } from './options.ts'
import type { Io } from '../io.ts'
import { openKeyRing, viewKeyRing } from '../config/key-ring.ts'
import { withStorage } from '../config/open-storage.ts'
import { withConfig, type ConfigOptions } from '../config/settings.ts'
import { instant, showList, showOutcome, type Columns, type ShowOptions } from '../show.ts'

type KeyOptions = ConfigOptions & ShowOptions

/** Creates `mintmark keys`, which manages the signing keys. */
export const keysCommand = (io: Io): Command =>
  new Command('keys')
    .description('manages the signing keys')
    .addCommand(
      withConfig(new Command('list'))
        .description('lists the keys with their state')
        .option('--json', 'print JSON')
        .action((options: KeyOptions) => list(options, io)),
    )
    .addCommand(
      withConfig(new Command('rotate'))
        .description('announces the next key of each algorithm if it is due, and deletes old keys; run it from cron')
        .option('--now', 'announce the next keys even if the current ones are new')
        .option('--json', 'print JSON')
        .action((options: KeyOptions & { readonly now?: true }) => rotate(options, io)),
    )
    .addCommand(
      withConfig(new Command('drop'))
        .description('drops a key in an emergency: its signatures are no longer accepted')
        .argument('<kid>')
        .option('--json', 'print JSON')
        .action((kid: string, options: KeyOptions) => drop(kid, options, io)),
    )

const list = (options: KeyOptions, io: Io): Promise<void> =>
  withStorage(options, io, async ({ storage, settings }) => {
    showList(await viewKeyRing(storage, settings, io).list(), keyColumns, { ...options, io })
  })

const rotate = (options: KeyOptions & { readonly now?: true }, io: Io): Promise<void> =>
  withStorage(options, io, async ({ storage, settings }) => {
    const keys = await openKeyRing(storage, settings, io)
    const { algorithms, removed } = await keys.rotate({ when: options.now === true ? 'now' : 'due' })
    showList(algorithms, rotationColumns, { ...options, io })
    if (removed.length > 0) io.err(`Deleted ${removed.length} old ${removed.length === 1 ? 'key' : 'keys'}.`)
  })

const drop = (kid: string, options: KeyOptions, io: Io): Promise<void> =>
  withStorage(options, io, async ({ storage, settings }) => {
    const { outcome } = await (await openKeyRing(storage, settings, io)).drop(kid)
    if (outcome === 'absent') throw new CommandError(`There is no key ${kid}.`)
    const sentence =
      outcome === 'revoked' ? `Dropped ${kid}. Servers notice it within seconds.` : `${kid} was already dropped.`
    showOutcome({ keyId: kid, outcome }, { ...options, io, sentence })
  })

const keyColumns: Columns<KeyDescription> = {
  kid: ({ keyId }) => keyId,
  algorithm: ({ algorithm }) => algorithm,
  state: ({ state }) => state,
  age: ({ age }) => durationText(age),
  'signs from': ({ signsFrom }) => instant(signsFrom),
  'drops at': ({ dropsAt }) => instant(dropsAt),
}

const rotationColumns: Columns<AlgorithmRotation> = {
  algorithm: ({ algorithm }) => algorithm,
  outcome: ({ outcome }) => outcome.replaceAll('_', ' '),
  kid: ({ keyId }) => keyId,
  when: (rotation) =>
    rotation.outcome === 'waiting' ? `next ${instant(rotation.until)}` : `signs ${instant(rotation.signsFrom)}`,
}
