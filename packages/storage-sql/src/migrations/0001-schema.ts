import type { SqlEngine, SqlTrigger } from '../dialect.ts'
import { agentTriggers } from './0001/agent-triggers.ts'
import { changeTriggers } from './0001/change-triggers.ts'
import { clientsTables } from './0001/clients-tables.ts'
import { deliveriesTables } from './0001/deliveries-tables.ts'
import { departureTrigger } from './0001/departure-trigger.ts'
import { groupTriggers } from './0001/group-triggers.ts'
import { groupsTables } from './0001/groups-tables.ts'
import { inheritedBlockTriggers } from './0001/inherited-block-triggers.ts'
import { organizationTriggers, providerOrganizationTriggers } from './0001/organization-triggers.ts'
import { organizationsTables } from './0001/organizations-tables.ts'
import { revocationTriggers } from './0001/revocation-triggers.ts'
import { signInTables } from './0001/sign-in-tables.ts'
import { signInTriggers } from './0001/sign-in-triggers.ts'
import { signingKeysTables } from './0001/signing-keys-tables.ts'
import { tokensTables } from './0001/tokens-tables.ts'
import { userTriggers } from './0001/user-triggers.ts'
import { userValueTriggers } from './0001/user-value-triggers.ts'
import { usersTables } from './0001/users-tables.ts'
import type { Migration } from './migration.ts'

/**
 * Every row belongs to one issuer, and every key and index begins with the issuer. Tokens and clients' secrets are stored
 * only as digests, and private keys are sealed. Times are whole seconds since 1970. There are no foreign keys: writes may
 * stop between any two statements, and a row that refers to a missing row is unused, not wrong.
 *
 * PostgreSQL runs the triggers of a table in the order of their names. Those that lock a row which all users of a provider or
 * of an issuer share have the last names, so that nobody waits for another lock while they hold it.
 */
export const schema: Migration = {
  number: 1,
  name: '0001-schema',
  statements: (types) => [
    ...clientsTables(types),
    ...tokensTables(types),
    ...signInTables(types),
    ...signingKeysTables(types),
    ...usersTables(types),
    ...groupsTables(types),
    ...organizationsTables(types),
    ...deliveriesTables(types),
    ...createTriggers(types),
  ],
}

/** MariaDB runs the triggers of a table in the order in which they are created: there it is that of their names as well. */
function createTriggers(types: SqlEngine['types']): readonly string[] {
  const created = [
    ...triggers(types).map((trigger) => ({ name: trigger.name, statements: types.trigger(trigger) })),
    ...inheritedBlockTriggers(types).map(([trigger, query]) => ({
      name: trigger.name,
      statements: types.startAgain(trigger, query),
    })),
  ]
  const ordered = types.runsTriggersInTurn
    ? created.toSorted((one, other) => (one.name < other.name ? -1 : 1))
    : created
  return ordered.flatMap(({ statements }) => statements)
}

const triggers = (types: SqlEngine['types']): readonly SqlTrigger[] => [
  ...userTriggers(types),
  ...agentTriggers(types),
  ...signInTriggers,
  ...revocationTriggers(types),
  ...groupTriggers(types),
  ...organizationTriggers,
  ...providerOrganizationTriggers(types),
  ...changeTriggers(types),
  ...userValueTriggers(types),
  // SQLite runs the trigger that was created last first: the memberships of a user are removed before the user.
  departureTrigger(types),
]
