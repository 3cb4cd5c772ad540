import { userTypeWithFields } from '../account/account-type.ts'
import { userFilter } from '../account/account-filter.ts'
import { customFields, type CustomField } from '../custom-field/custom-field.ts'
import type { ProposedChange } from '@mintmark/scim'
import type { Storage } from '@mintmark/storage-interface'

import { administeredBy, lacksOthers, type LastAdministrators } from './last-administrators.ts'

/** Whom an administrator of everything else must not be locked out by. */
export interface LastAdministratorOptions {
  /**
   * Roles in organizations, such as `owner`: every organization that has an active holder of one keeps one.
   * @defaultValue None. An organization may be without anybody.
   */
  readonly protectedRoles?: readonly string[]
  /**
   * A filter of accounts, such as `claims.staff_role eq "admin"`: of those who administer the service, one active
   * account stays.
   * @defaultValue None. Where clients administer, nobody is locked out.
   */
  readonly administrators?: string
}

/** @throws ScimError invalidFilter when the filter of administrators is not one. */
export const lastAdministrators = (
  { protectedRoles = [], administrators }: LastAdministratorOptions,
  type: ReturnType<typeof userTypeWithFields>,
): LastAdministrators => ({
  protectedRoles,
  administrators: administrators === undefined ? undefined : userFilter(administrators, type),
})

/**
 * The same protection from identity providers: give it to `createScimServer` as `mayChange`. Who is the last one to
 * administer something is neither deactivated nor removed by a provider; it is answered 403. It is looked at once,
 * before the change: what two providers do in the same moment is not seen.
 */
export function protectLastAdministrators(
  options: LastAdministratorOptions & {
    /** The storage of SCIM. */
    readonly storage: Storage
    /**
     * The same as those of `createAdministration`, where the filter speaks of one.
     * @defaultValue None. Claims of OpenID Connect need no declaration.
     */
    readonly customFields?: readonly CustomField[]
  },
): (change: ProposedChange) => Promise<boolean> {
  const { storage } = options
  const deps = {
    storage,
    lastAdministrators: lastAdministrators(options, userTypeWithFields(customFields(options.customFields ?? []))),
  }
  return async ({ userId, kind }) => {
    if (kind !== 'deactivate' && kind !== 'remove') return true
    return !(await lacksOthers(userId, await administeredBy(userId, deps), deps))
  }
}
