import type { Administration } from '@mintmark/admin'
import { Command } from 'commander'

import { withAdministration } from '../config/open-storage.ts'
import { withConfig, type ConfigOptions } from '../config/settings.ts'
import type { Io } from '../io.ts'
import { instant, type Columns, type ShowOptions } from '../show.ts'
import { parseCount, parseDuration, showPage, withPage, type PageOptions } from './options.ts'

type TokenView = Awaited<ReturnType<Administration['initialAccessTokens']['list']>>['items'][number]

interface CreateOptions extends ConfigOptions, ShowOptions {
  readonly name: string
  readonly clients: number
  readonly expiresIn: number
  readonly scope: readonly string[]
  readonly grantType?: readonly string[]
  readonly redirectHost?: readonly string[]
}

/** Creates `mintmark registration`, which manages initial access tokens. */
export const registrationCommand = (io: Io): Command =>
  new Command('registration')
    .description('manages initial access tokens, with which clients register themselves')
    .addCommand(
      withConfig(new Command('create'))
        .description('creates an initial access token and prints it; it cannot be shown again')
        .requiredOption('--name <name>', 'who the token is for')
        .option('--clients <count>', 'how many clients the token may register', parseCount, 1)
        .option('--expires-in <time>', 'how long the token is valid, such as 30m, 24h or 7d', parseDuration, 86_400)
        .requiredOption('--scope <value...>', 'the scope values that the registered clients may have')
        .option('--grant-type <name...>', 'the grant types that the registered clients may have')
        .option('--redirect-host <host...>', 'the hosts that their redirect URIs may have; default: any host')
        .option('--json', 'print JSON')
        .action((options: CreateOptions) =>
          withAdministration(options, io, async ({ initialAccessTokens }) => {
            const { name: displayName, clients, expiresIn: lifetime, scope: scopes, json } = options
            const limits = { grantTypes: options.grantType, redirectHosts: options.redirectHost }
            const created = await initialAccessTokens.create({ displayName, clients, lifetime, scopes, ...limits })
            const { initialAccessToken, view } = created
            if (json === true) return io.out(JSON.stringify({ ...view, initialAccessToken }, undefined, 2))
            io.out(initialAccessToken)
            io.err(
              `The token may register ${view.remaining} clients until ${instant(view.expiresAt)}. It is not shown again.`,
            )
          }),
        ),
    )
    .addCommand(
      withPage(withConfig(new Command('list')))
        .description('lists initial access tokens')
        .action((options: PageOptions) =>
          withAdministration(options, io, async ({ initialAccessTokens }) => {
            const { limit, after } = options
            showPage(await initialAccessTokens.list({ limit, after }), columns, { ...options, io })
          }),
        ),
    )
    .addCommand(
      withConfig(new Command('revoke'))
        .description('revokes initial access tokens; clients that were registered with them are kept')
        .argument('<ids...>')
        .option('--json', 'print JSON, one line for each token')
        .action((ids: readonly string[], options: ConfigOptions & ShowOptions) =>
          withAdministration(options, io, async ({ initialAccessTokens }) => {
            for (const id of ids) {
              await initialAccessTokens.revoke(id)
              io.out(options.json === true ? JSON.stringify({ tokenId: id }) : `Token ${id} is revoked.`)
            }
          }),
        ),
    )

const columns: Columns<TokenView> = {
  id: ({ tokenId }) => tokenId,
  name: ({ displayName }) => displayName,
  left: ({ remaining }) => `${remaining}`,
  scopes: ({ scopes }) => scopes.join(' '),
  expires: ({ expiresAt }) => instant(expiresAt),
  revoked: ({ revokedAt }) => instant(revokedAt),
}
