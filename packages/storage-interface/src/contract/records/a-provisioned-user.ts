import { providerId, userId } from '../../identifiers.ts'
import { jsonText } from '../../json.ts'
import type { NewProvisionedUser, ProvisionedState, ProvisionedUserRecord } from '../../provisioned-user.ts'
import type { UserRecord } from '../../user.ts'
import { now } from './moments.ts'

/** A new account of `aProviderRecord`. Each label, such as `ada`, makes another `userId`, `externalId` and `userName` of it. */
export const aProvisionedUser = (label: string, overrides: Partial<NewProvisionedUser> = {}): NewProvisionedUser => ({
  providerId: providerId('provider-1'),
  userId: userId(`user-${label}`),
  state: aProvisionedState(label),
  createdAt: now,
  ...overrides,
})

/** What a provider says of an active person. */
export const aProvisionedState = (label: string, overrides: Partial<ProvisionedState> = {}): ProvisionedState => ({
  active: true,
  externalId: `external-${label}`,
  resource: jsonText({
    userName: `${label}@Example.com`,
    emails: [{ value: `${label}@Example.com`, type: 'work', primary: true }],
  }),
  resourceForm: `form-${label}`,
  comparable: {
    userName: `${label}@example.com`,
    emails: [{ value: `${label}@example.com`, type: 'work', primary: true }],
  },
  claims: { name: `Name of ${label}`, email: `${label}@Example.com` },
  ...overrides,
})

/** An account as it begins. */
export const freshAccount = ({
  providerId: provider,
  userId: id,
  state,
  createdAt,
}: NewProvisionedUser): ProvisionedUserRecord => ({
  userId: id,
  active: state.active,
  generation: 0,
  claims: state.claims,
  createdAt,
  updatedAt: createdAt,
  version: 1,
  providerId: provider,
  externalId: state.externalId,
  adopted: false,
  resource: state.resource,
  resourceForm: state.resourceForm,
  groups: [],
})

/** The account as core sees it. */
export const accountOf = ({
  userId: id,
  active,
  generation,
  claims,
  createdAt,
  updatedAt,
  version,
}: ProvisionedUserRecord): UserRecord => ({
  userId: id,
  active,
  generation,
  claims,
  createdAt,
  updatedAt,
  version,
})
