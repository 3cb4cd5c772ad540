import { createJournal, type Journal } from '@mintmark/core/http'
import { randomIdentifier, systemClock, systemRandom } from '@mintmark/core/runtime'
import { seconds, type EpochSeconds } from '@mintmark/storage-interface'

import { userTypeWithFields } from '../account/account-type.ts'
import type { AdminDependencies } from '../audit/admin-context.ts'
import type { Actor } from '../audit/actor.ts'
import type { AdminOccurrence } from '../audit/admin-event.ts'
import { createAuditLog } from '../audit/audit-log.ts'
import { reportAdminFaults } from '../audit/report-admin-faults.ts'
import { customFields } from '../custom-field/custom-field.ts'
import { lastAdministrators } from '../guard/protect-last-administrators.ts'
import type { AdministrationOptions } from './administration-options.ts'
import { administer, type Administration } from './administration.ts'

/** Administration, for whoever does it: `as` says who that is, and nothing is done in nobody's name. */
export interface Administrations {
  as(actor: Actor): Administration
}

/**
 * Creates the administration of one issuer: clients, identity providers, accounts, organizations, grants and sessions.
 * @throws TypeError when a custom field is not one; ScimError invalidFilter when the filter of administrators is not
 * one.
 */
export function createAdministration(options: AdministrationOptions): Administrations {
  const { journal, ...deps } = administrationParts(options)
  return {
    as: (actor) =>
      administer({ ...deps, actor, record: (occurrence) => journal.announce(occurrence), mayGrant: () => true }),
  }
}

/** What administration is made of, and where its events go. */
export function administrationParts(
  options: AdministrationOptions,
): AdminDependencies & { readonly journal: Journal<AdminOccurrence> } {
  const { storage, keys, clock = systemClock, random = systemRandom } = options
  const fields = customFields(options.customFields ?? [])
  const type = userTypeWithFields(fields)
  return {
    storage,
    clock,
    random,
    keys,
    customFields: fields,
    accountType: type,
    lastAdministrators: lastAdministrators(options.lastAdministrators ?? {}, type),
    auditLog: createAuditLog({ storage, clock, random, retention: seconds(options.auditRetention ?? 34_560_000) }),
    journal: createJournal<AdminOccurrence, EpochSeconds>(options.onEvent ?? reportAdminFaults(console), {
      clock,
      newIdentifier: () => randomIdentifier(random),
    }),
  }
}
