import type { Administration, ProviderView } from '@mintmark/admin'
import { toleranceProfiles, type ToleranceProfile } from '@mintmark/scim'
import { Argument, Command, Option } from 'commander'

import type { Io } from '../io.ts'
import { withAdministration } from '../place/administration.ts'
import { withConfig, type ConfigOptions } from '../place/place-options.ts'
import { instant, showThing, type Columns, type ShowOptions } from '../show.ts'
import { showPage, withPage, type PageOptions } from './page-options.ts'
import { previousExpiry, withOverlap, type OverlapOptions } from './overlap-options.ts'

type SetupProduct = Parameters<Administration['identityProviders']['setup']>[1]

interface RegisterOptions extends ConfigOptions, ShowOptions {
  readonly name?: string
  readonly profile: ToleranceProfile
}

/** `mintmark idp`: the directories that provision accounts by SCIM. */
export const identityProviderCommand = (io: Io): Command =>
  new Command('idp')
    .description('the identity providers that provision accounts by SCIM')
    .addCommand(registerCommand(io))
    .addCommand(
      withPage(withConfig(new Command('list')))
        .description('lists the identity providers')
        .action((options: PageOptions) =>
          withAdministration(options, io, async ({ identityProviders }) => {
            const { limit, after } = options
            showPage(await identityProviders.list({ limit, after }), columns, { ...options, io })
          }),
        ),
    )
    .addCommand(rotateCommand(io))
    .addCommand(
      withConfig(new Command('end-secrets'))
        .description('ends all Secret Tokens but the newest, at once')
        .argument('<id>')
        .action((id: string, options: ConfigOptions) =>
          withAdministration(options, io, async ({ identityProviders }) => {
            await identityProviders.revokePreviousSecrets(id)
            io.out(`Of identity provider ${id} only the newest Secret Token is left.`)
          }),
        ),
    )
    .addCommand(switchCommand('disable', 'refuses its requests from now on; its accounts stay as they are', io))
    .addCommand(switchCommand('enable', 'takes its requests again', io))
    .addCommand(setupCommand(io))

const registerCommand = (io: Io): Command =>
  withConfig(new Command('register'))
    .description('registers an identity provider and prints its SCIM Tenant URL and its Secret Token, this one time')
    .argument('<id>', 'letters, digits and hyphens: a part of the SCIM Tenant URL')
    .option('--name <name>', 'for people; default: the identifier')
    .addOption(
      new Option('--profile <name>', 'what is tolerated in its requests')
        .choices(Object.keys(toleranceProfiles))
        .default('general'),
    )
    .option('--json', 'print JSON')
    .action((id: string, { name, profile, ...options }: RegisterOptions) =>
      withAdministration(options, io, async ({ identityProviders }) => {
        const registration = {
          providerId: id,
          toleranceProfile: profile,
          ...(name !== undefined && { displayName: name }),
        }
        const { provider, secret } = await identityProviders.register(registration)
        showThing({ tenantUrl: provider.tenantUrl, secret }, { ...options, io, labels })
      }),
    )

const rotateCommand = (io: Io): Command =>
  withOverlap(withConfig(new Command('rotate')))
    .description('makes another Secret Token and prints it, this one time')
    .argument('<id>')
    .action((id: string, options: OverlapOptions) =>
      withAdministration(options, io, async ({ identityProviders }) => {
        const secret = await identityProviders.addSecret(id, previousExpiry({ ...options, io }))
        showThing({ secret }, { ...options, io, labels })
        if (options.previousEndsIn === undefined) io.err(`Those before it work until: mintmark idp end-secrets ${id}`)
      }),
    )

function switchCommand(name: 'disable' | 'enable', description: string, io: Io): Command {
  return withConfig(new Command(name))
    .description(description)
    .argument('<id>')
    .action((id: string, options: ConfigOptions) =>
      withAdministration(options, io, async ({ identityProviders }) => {
        await identityProviders[name]({ providerId: id })
        io.out(`Identity provider ${id} is ${name}d.`)
      }),
    )
}

const setupCommand = (io: Io): Command =>
  withConfig(new Command('setup'))
    .description('prints what is to be done at the identity provider, to send to whoever does it')
    .argument('<id>')
    .addArgument(new Argument('<product>').choices(['entra', 'okta']))
    // oxlint-disable-next-line eslint/max-params -- Commander hands over the arguments one by one.
    .action((id: string, product: SetupProduct, options: ConfigOptions) =>
      withAdministration(options, io, async ({ identityProviders }) =>
        io.out((await identityProviders.setup(id, product)).text.trimEnd()),
      ),
    )

/** As the specification calls them. */
const labels = { tenantUrl: 'SCIM Tenant URL', secret: 'Secret Token' }

const columns: Columns<ProviderView> = {
  id: ({ providerId }) => providerId,
  name: ({ displayName }) => displayName,
  profile: ({ toleranceProfile }) => toleranceProfile,
  secrets: ({ secrets }) => String(secrets.length),
  'last used': ({ secrets }) =>
    instant(secrets.map(({ lastUsedAt }) => lastUsedAt).findLast((time) => time !== undefined)),
  disabled: ({ disabledAt }) => instant(disabledAt),
  'tenant url': ({ tenantUrl }) => tenantUrl,
}
