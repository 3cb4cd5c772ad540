import type { Administration, ClientView } from '@mintmark/admin'
import { Command } from 'commander'

import type { Io } from '../io.ts'
import { withAdministration } from '../place/administration.ts'
import { withConfig, type ConfigOptions } from '../place/place-options.ts'
import { instant, showThing, type Columns, type ShowOptions } from '../show.ts'
import { createClientCommand, credentialLabels } from './client-create.ts'
import { showPage, withPage, type PageOptions } from './page-options.ts'
import { previousExpiry, withOverlap, type OverlapOptions } from './overlap-options.ts'

/** `mintmark client`: the applications that ask for tokens. */
export const clientCommand = (io: Io): Command =>
  new Command('client')
    .description('the applications that ask for tokens')
    .addCommand(createClientCommand(io))
    .addCommand(
      withPage(withConfig(new Command('list')))
        .description('lists the clients')
        .action((options: PageOptions) =>
          withAdministration(options, io, async ({ clients }) => {
            const { limit, after } = options
            showPage(await clients.list({ limit, after }), columns, { ...options, io })
          }),
        ),
    )
    .addCommand(
      withConfig(new Command('show'))
        .description('shows a client; of its secrets only their times')
        .argument('<id>')
        .option('--json', 'print JSON')
        .action((id: string, options: ConfigOptions & ShowOptions) =>
          withAdministration(options, io, async ({ clients }) => showThing(await clients.read(id), { ...options, io })),
        ),
    )
    .addCommand(switchCommand('disable', 'from now on nothing of the client is honoured', io))
    .addCommand(switchCommand('enable', 'puts a disabled client back into use', io))
    .addCommand(secretCommand(io))

function switchCommand(name: 'disable' | 'enable', description: string, io: Io): Command {
  return withConfig(new Command(name))
    .description(description)
    .argument('<id>')
    .action((id: string, options: ConfigOptions) =>
      withAdministration(options, io, async ({ clients }) => {
        await clients[name]({ clientId: id })
        io.out(`Client ${id} is ${name}d.`)
      }),
    )
}

const secretCommand = (io: Io): Command =>
  new Command('secret')
    .description('the secrets of a client: two may be in use at once')
    .addCommand(
      withOverlap(withConfig(new Command('rotate')))
        .description('gives the client another secret and prints it, this one time')
        .argument('<id>')
        .action((id: string, options: OverlapOptions) =>
          withAdministration(options, io, ({ clients }) => rotateSecret(id, clients, { ...options, io })),
        ),
    )
    .addCommand(
      withConfig(new Command('end'))
        .description('ends all secrets of the client but the newest, at once')
        .argument('<id>')
        .action((id: string, options: ConfigOptions) =>
          withAdministration(options, io, async ({ clients }) => {
            await clients.revokePreviousSecrets(id)
            io.out(`Of client ${id} only the newest secret is left.`)
          }),
        ),
    )

async function rotateSecret(
  id: string,
  clients: Administration['clients'],
  options: OverlapOptions & { readonly io: Io },
): Promise<void> {
  const clientSecret = await clients.addSecret(id, previousExpiry(options))
  showThing({ clientId: id, clientSecret }, { ...options, labels: credentialLabels })
  if (options.previousEndsIn === undefined)
    options.io.err(`The one before works until: mintmark client secret end ${id}`)
}

const columns: Columns<ClientView> = {
  id: ({ clientId }) => clientId,
  name: ({ clientName }) => clientName,
  authentication: ({ tokenEndpointAuthMethod }) => tokenEndpointAuthMethod,
  grants: ({ grantTypes }) => grantTypes.join(' '),
  created: ({ createdAt }) => instant(createdAt),
  disabled: ({ disabledAt }) => instant(disabledAt),
}
