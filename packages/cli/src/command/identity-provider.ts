import type { Administration, ProviderView } from '@mintmark/admin'
import { type ToleranceProfile } from '@mintmark/scim'
import { Argument, Command, Option } from 'commander'
import { revocationPath, toleranceProfiles } from '@mintmark/scim/engine'

import type { Io } from '../io.ts'
import { withAdministration } from '../config/open-storage.ts'
import { withConfig, type ConfigOptions } from '../config/settings.ts'
import { UsageError } from '../command-error.ts'
import { instant, showOutcome, showRecord, type Columns, type ShowOptions } from '../show.ts'
import {
  parseDuration,
  showPage,
  withPage,
  previousExpiry,
  withAddSecretFlags,
  type PageOptions,
  type AddSecretOptions,
} from './options.ts'
import { rehearseCommand } from './rehearse.ts'

type SetupProduct = Parameters<Administration['identityProviders']['setup']>[1]

interface RegisterOptions extends ConfigOptions, ShowOptions {
  readonly name?: string
  readonly profile: ToleranceProfile
  readonly domain?: readonly string[]
  readonly organization?: string
}

/** Creates `mintmark idp`, which manages the identity providers that provision users through SCIM. */
export const identityProviderCommand = (io: Io): Command =>
  new Command('idp')
    .description('manages the identity providers that provision users through SCIM')
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
      withConfig(new Command('revoke-secrets'))
        .description('revokes all Secret Tokens except the newest')
        .argument('<id>')
        .option('--json', 'print JSON')
        .action((id: string, options: ConfigOptions & ShowOptions) =>
          withAdministration(options, io, async ({ identityProviders }) => {
            await identityProviders.revokePreviousSecrets(id)
            const sentence = `All Secret Tokens of identity provider ${id} except the newest are revoked.`
            showOutcome({ providerId: id }, { ...options, io, sentence })
          }),
        ),
    )
    .addCommand(switchCommand('disable', 'refuses the provider’s requests from now on; its users are not changed', io))
    .addCommand(switchCommand('enable', 'accepts the provider’s requests again', io))
    .addCommand(domainsCommand(io))
    .addCommand(organizationCommand(io))
    .addCommand(assertionsCommand(io))
    .addCommand(crossAppAccessCommand(io))
    .addCommand(deactivateUsersCommand(io))
    .addCommand(setupCommand(io))
    .addCommand(setupLinkCommand(io))
    .addCommand(revokeSetupLinkCommand(io))
    .addCommand(rehearseCommand(io))

const registerCommand = (io: Io): Command =>
  withConfig(new Command('register'))
    .description(
      'registers an identity provider, and prints its SCIM Tenant URL and its Secret Token, which cannot be shown again',
    )
    .argument('<id>', 'letters, digits and hyphens: a part of the SCIM Tenant URL')
    .option('--name <name>', 'the displayed name; default: the identifier')
    .addOption(
      new Option('--profile <name>', 'the tolerance profile: which deviations from SCIM are accepted')
        .choices(Object.keys(toleranceProfiles))
        .default('general'),
    )
    .option(
      '--domain <domain...>',
      'e-mail domains that the customer has proved to own; addresses in them are verified',
    )
    .option('--organization <id>', 'the organization that the users become members of')
    .option('--json', 'print JSON')
    .action((id: string, { name, profile, domain = [], organization, ...options }: RegisterOptions) =>
      withAdministration(options, io, async ({ identityProviders }) => {
        const registration = {
          providerId: id,
          toleranceProfile: profile,
          verifiedDomains: domain,
          ...(name !== undefined && { displayName: name }),
          ...(organization !== undefined && { organizationId: organization }),
        }
        const { provider, secret } = await identityProviders.register(registration)
        showRecord({ tenantUrl: provider.tenantUrl, secret }, { ...options, io, labels })
      }),
    )

const rotateCommand = (io: Io): Command =>
  withAddSecretFlags(withConfig(new Command('rotate')))
    .description('adds a Secret Token and prints it; it cannot be shown again')
    .argument('<id>')
    .action((id: string, options: AddSecretOptions) =>
      withAdministration(options, io, async ({ identityProviders }) => {
        const secret = await identityProviders.addSecret(id, previousExpiry({ ...options, io }))
        showRecord({ secret }, { ...options, io, labels })
        if (options.previousEndsIn === undefined)
          io.err(`The previous Secret Tokens work until you run: mintmark idp revoke-secrets ${id}`)
      }),
    )

function switchCommand(name: 'disable' | 'enable', description: string, io: Io): Command {
  return withConfig(new Command(name))
    .description(description)
    .argument('<id>')
    .option('--json', 'print JSON')
    .action((id: string, options: ConfigOptions & ShowOptions) =>
      withAdministration(options, io, async ({ identityProviders }) => {
        const provider = await identityProviders[name]({ providerId: id })
        showOutcome(provider, { ...options, io, sentence: `Identity provider ${id} is ${name}d.` })
      }),
    )
}

const domainsCommand = (io: Io): Command =>
  withConfig(new Command('domains'))
    .description('replaces the verified e-mail domains; without arguments, no domain is verified')
    .argument('<id>')
    .argument('[domains...]', 'such as example.com')
    .option('--json', 'print JSON')
    // oxlint-disable-next-line eslint/max-params -- Commander passes the arguments one by one.
    .action((id: string, domains: readonly string[], options: ConfigOptions & ShowOptions) =>
      withAdministration(options, io, async ({ identityProviders }) => {
        const provider = await identityProviders.update({ providerId: id }, { verifiedDomains: domains })
        const sentence = `Verified domains of ${id}: ${provider.verifiedDomains.join(', ') || 'none'}.`
        showOutcome(provider, { ...options, io, sentence })
      }),
    )

const organizationCommand = (io: Io): Command =>
  withConfig(new Command('organization'))
    .description(
      'makes present and future users members of an organization; without one, future users join no organization',
    )
    .argument('<id>')
    .argument('[organization]', "the organization's id: the org_id in tokens")
    .option('--json', 'print JSON')
    // oxlint-disable-next-line eslint/max-params -- Commander passes the arguments one by one.
    .action((id: string, organization: string | undefined, options: ConfigOptions & ShowOptions) =>
      withAdministration(options, io, async ({ identityProviders }) => {
        const change = { organizationId: organization ?? null }
        const provider = await identityProviders.update({ providerId: id }, change)
        const sentence = `Organization of the users of ${id}: ${provider.organizationId ?? 'none'}.`
        showOutcome(provider, { ...options, io, sentence })
      }),
    )

interface AssertionsOptions extends ConfigOptions, ShowOptions {
  readonly idpIssuer?: string
  readonly keys?: string
  readonly subject?: string
}

const assertionsCommand = (io: Io): Command =>
  withConfig(new Command('assertions'))
    .description(
      'sets the issuer and the keys of what the provider signs, such as requests for Universal Logout; without options, it signs nothing',
    )
    .argument('<id>')
    .option('--idp-issuer <url>', 'the iss of what it signs, such as https://acme.okta.com')
    .option('--keys <url>', 'the URL of its key set, such as https://acme.okta.com/oauth2/v1/keys')
    .option('--subject <text>', 'the sub that requests for Universal Logout must have; default: any')
    .option('--json', 'print JSON')
    .action((id: string, { idpIssuer, keys, subject, ...options }: AssertionsOptions) =>
      withAdministration(options, io, async ({ identityProviders }) => {
        const isCleared = idpIssuer === undefined && keys === undefined && subject === undefined
        const before = isCleared ? undefined : (await identityProviders.read(id)).assertions
        const given = { issuer: idpIssuer ?? '', jwksUri: keys, revocationSubject: subject }
        const assertions = isCleared ? null : { ...given, crossAppAccess: before?.crossAppAccess }
        const provider = await identityProviders.update({ providerId: id }, { assertions })
        const sentence =
          provider.assertions === undefined
            ? `${id} signs nothing for this server.`
            : `${id} may sign users out: ${provider.tenantUrl}/${revocationPath}`
        showOutcome(provider, { ...options, io, sentence })
      }),
    )

interface CrossAppAccessOptions extends ConfigOptions, ShowOptions {
  readonly client?: readonly string[]
  readonly scope?: readonly string[]
  readonly resource?: readonly string[]
  readonly tenant?: string
  readonly subject: 'external_id' | 'aud_sub'
  readonly once?: true
}

const crossAppAccessCommand = (io: Io): Command =>
  withConfig(new Command('cross-app-access'))
    .description(
      'sets which clients get access with ID-JAGs of the provider, after its issuer and keys were set with `assertions`; without --client, none does',
    )
    .argument('<id>')
    .option('--client <client_id...>', 'the clients that may present its ID-JAGs')
    .option('--scope <scope...>', 'the scope values that its ID-JAGs may give')
    .option('--resource <uri...>', 'the APIs that its ID-JAGs may be for')
    .option('--tenant <text>', 'the claim tenant that its ID-JAGs must have')
    .addOption(
      new Option('--subject <name>', 'where an ID-JAG names the user: sub is the externalId, or aud_sub the user here')
        .choices(['external_id', 'aud_sub'])
        .default('external_id'),
    )
    .option('--once', 'accept each ID-JAG once; default: until it expires')
    .option('--json', 'print JSON')
    .action((id: string, options: CrossAppAccessOptions) =>
      withAdministration(options, io, async ({ identityProviders }) => {
        const { assertions } = await identityProviders.read(id)
        if (assertions === undefined) throw new UsageError(`First set the issuer: mintmark idp assertions ${id}`)
        const { client: clientIds, scope: scopes = [], resource: resources = [], tenant, subject, once } = options
        const rules = { scopes, resources, tenant, subject, reuse: once ? 'once' : 'until_expiry' } as const
        const crossAppAccess = clientIds && { clientIds, ...rules }
        const change = { assertions: { ...assertions, crossAppAccess } }
        const provider = await identityProviders.update({ providerId: id }, change)
        const sentence =
          clientIds === undefined
            ? `ID-JAGs of ${id} are refused.`
            : `${clientIds.join(', ')} may act for users of ${id}.`
        showOutcome(provider, { ...options, io, sentence })
      }),
    )

const deactivateUsersCommand = (io: Io): Command =>
  withConfig(new Command('deactivate-users'))
    .description('deactivates all users of a disabled or removed identity provider; it can be interrupted and repeated')
    .argument('<id>')
    .option('--json', 'print JSON')
    .action((id: string, options: ConfigOptions & ShowOptions) =>
      withAdministration(options, io, async ({ identityProviders }) => {
        let [deactivated, kept] = [0, 0]
        let after: string | undefined
        do {
          const part = await identityProviders.deactivateUsers(id, { after, limit: 200 })
          deactivated += part.deactivated
          kept += part.kept
          after = part.next
          io.progress?.(after === undefined ? '' : `${deactivated} users deactivated …`)
        } while (after !== undefined)
        const sentence = `Deactivated ${deactivated} users of ${id}.`
        showOutcome({ providerId: id, deactivated, kept }, { ...options, io, sentence })
        if (kept > 0) io.err(`${kept} users stay active, because nobody else administers what they administer.`)
      }),
    )

const setupCommand = (io: Io): Command =>
  withConfig(new Command('setup'))
    .description('prints instructions for the administrator of the identity provider')
    .argument('<id>')
    .addArgument(new Argument('<product>').choices(['entra', 'okta']))
    .option('--json', 'print JSON')
    // oxlint-disable-next-line eslint/max-params -- Commander passes the arguments one by one.
    .action((id: string, product: SetupProduct, options: ConfigOptions & ShowOptions) =>
      withAdministration(options, io, async ({ identityProviders }) => {
        const setup = await identityProviders.setup(id, product)
        showOutcome(setup, { ...options, io, sentence: setup.text.trimEnd() })
      }),
    )

interface SetupLinkOptions extends ConfigOptions, ShowOptions {
  readonly expiresIn?: number
  readonly path?: string
}

const setupLinkCommand = (io: Io): Command =>
  withConfig(new Command('setup-link'))
    .description(
      "creates a link with which the customer's IT sets up this identity provider, and prints it; an earlier link no longer works",
    )
    .argument('<id>')
    .option('--expires-in <time>', 'how long the link works, such as 24h or 7d; default: 7d', parseDuration)
    .option('--path <path>', 'the option setupPath of the server, if it is set')
    .option('--json', 'print JSON')
    .action((id: string, { expiresIn: lifetime, path: setupPath, ...options }: SetupLinkOptions) =>
      withAdministration({ ...options, setupPath }, io, async ({ identityProviders }) => {
        const link = await identityProviders.createSetupLink(id, { lifetime })
        showOutcome(link, { ...options, io, sentence: link.url })
        if (options.json !== true) io.err(`It works until ${instant(link.expiresAt)}, and cannot be shown again.`)
      }),
    )

const revokeSetupLinkCommand = (io: Io): Command =>
  withConfig(new Command('revoke-setup-link'))
    .description('revokes the set-up link at once, also for those who have opened it')
    .argument('<id>')
    .option('--json', 'print JSON')
    .action((id: string, options: ConfigOptions & ShowOptions) =>
      withAdministration(options, io, async ({ identityProviders }) => {
        await identityProviders.revokeSetupLink(id)
        showOutcome({ providerId: id }, { ...options, io, sentence: `${id} has no set-up link any more.` })
      }),
    )

/** The names of these values in the consoles of identity providers. */
const labels = { tenantUrl: 'SCIM Tenant URL', secret: 'Secret Token' }

const columns: Columns<ProviderView> = {
  id: ({ providerId }) => providerId,
  name: ({ displayName }) => displayName,
  profile: ({ toleranceProfile }) => toleranceProfile,
  domains: ({ verifiedDomains }) => verifiedDomains.join(' ') || '-',
  secrets: ({ secrets }) => String(secrets.length),
  'last used': ({ secrets }) =>
    instant(secrets.map(({ lastUsedAt }) => lastUsedAt).findLast((time) => time !== undefined)),
  disabled: ({ disabledAt }) => instant(disabledAt),
  'tenant url': ({ tenantUrl }) => tenantUrl,
}
