import type { AccountView } from '@mintmark/admin'
import type { EndedAccess } from '@mintmark/scim'
import { Command } from 'commander'

import { UsageError } from '../command-error.ts'
import type { Io } from '../io.ts'
import { withAdministration } from '../place/administration.ts'
import { withPlace, type PlaceOptions } from '../place/place-options.ts'
import { instant, showThing, type Columns, type ShowOptions } from '../show.ts'
import { showPage, withPage, type PageOptions } from './page-options.ts'

/** `mintmark user`: the accounts. */
export const userCommand = (io: Io): Command =>
  new Command('user')
    .description('the accounts that people have')
    .addCommand(
      withPage(withPlace(new Command('list')))
        .description('lists the accounts, oldest first')
        .option('--filter <filter>', `as in SCIM: 'active eq false and claims.email ew "@example.com"'`)
        .action((options: PageOptions & { readonly filter?: string }) =>
          withAdministration(options, io, async ({ accounts }) => {
            const { limit, after, filter } = options
            showPage(await accounts.list({ limit, after, filter }), columns, { ...options, io })
          }),
        ),
    )
    .addCommand(
      withPlace(new Command('show'))
        .description('shows an account')
        .argument('<id>', 'the sub of its tokens')
        .option('--json', 'print JSON')
        .action((id: string, options: PlaceOptions & ShowOptions) =>
          withAdministration(options, io, async ({ accounts }) =>
            showThing(await accounts.read(id), { ...options, io }),
          ),
        ),
    )
    .addCommand(
      withPlace(new Command('deactivate'))
        .description('ends all access of the person at once')
        .argument('<id>')
        .action((id: string, options: PlaceOptions) =>
          withAdministration(options, io, async ({ accounts }) => {
            const { ended } = await accounts.deactivate(id)
            io.out(`Account ${id} is deactivated. ${receipt(ended)}`)
          }),
        ),
    )
    .addCommand(
      withPlace(new Command('reactivate'))
        .description('lets the person sign in again; nothing that was issued before is revived')
        .argument('<id>')
        .action((id: string, options: PlaceOptions) =>
          withAdministration(options, io, async ({ accounts }) => {
            await accounts.reactivate(id)
            io.out(`Account ${id} is active.`)
          }),
        ),
    )
    .addCommand(removeCommand(io))

const removeCommand = (io: Io): Command =>
  withPlace(new Command('remove'))
    .description('erases an account for good; its identifier stays taken')
    .argument('<id>')
    .option('--yes', 'it cannot be undone: this is needed')
    .action((id: string, options: PlaceOptions & { readonly yes?: true }) => {
      if (options.yes !== true) throw new UsageError(`Nothing brings the account ${id} back. Add --yes to remove it.`)
      return withAdministration(options, io, async ({ accounts }) => {
        const ended = await accounts.remove(id)
        io.out(`Account ${id} is removed. ${receipt(ended)}`)
      })
    })

/** What died with it. */
function receipt(ended: EndedAccess | undefined): string {
  if (ended === undefined) return 'What it had was ended with it.'
  return `Ended with it: ${counted(ended.sessionIds.length, 'session')}, ${counted(ended.grants.length, 'grant')}.`
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

const columns: Columns<AccountView> = {
  id: ({ userId }) => userId,
  active: ({ active }) => (active ? 'yes' : 'no'),
  name: ({ claims }) => textOf(claims['name'] ?? claims['preferred_username']),
  email: ({ claims }) => textOf(claims['email']),
  created: ({ createdAt }) => instant(createdAt),
  updated: ({ updatedAt }) => instant(updatedAt),
}

const textOf = (claim: unknown): string => (typeof claim === 'string' ? claim : '-')
