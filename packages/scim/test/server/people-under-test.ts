import type { JsonObject } from '@mintmark/storage-interface'

import { enterpriseUserSchema, userSchema, type ToleranceProfile } from '../../src/index.ts'
import { startDirectory, type Directory } from './directory-under-test.ts'
import { idOf, type ScimReply } from './scim-under-test.ts'

/** A directory with four people in it, one a second: Kim, Lou, Max and Ann. */
export interface People extends Directory {
  /** Identifiers, by `displayName`. */
  readonly ids: Readonly<Record<string, string>>
  list(path: string, parameters?: Readonly<Record<string, string>>): Promise<ScimReply>
}

const enterprise = enterpriseUserSchema.id

const fourPeople = [
  {
    displayName: 'Kim',
    userName: 'Kim@X.test',
    externalId: 'ab',
    name: { familyName: 'Lee', givenName: 'Kim' },
    title: 'Doctor',
    emails: [
      { value: 'kim@home.test', type: 'home' },
      { value: 'kim@x.test', type: 'work', primary: true },
    ],
    roles: [],
    [enterprise]: { department: 'Ops', manager: { value: 'boss' } },
  },
  {
    displayName: 'Lou',
    userName: 'lou@x.test',
    externalId: 'AB',
    name: { familyName: 'Ash' },
    active: false,
    emails: [{ value: 'anna@home.test', type: 'home' }],
  },
  { displayName: 'Max', userName: "x' OR '1'='1", title: '100%_sure*\\', nickName: 'maxi' },
  { displayName: 'Ann', userName: 'ann@x.test', name: { givenName: 'Ann' }, [enterprise]: { department: 'Dev' } },
]

export async function startPeople(toleranceProfile: ToleranceProfile = 'general'): Promise<People> {
  const directory = await startDirectory(0, toleranceProfile)
  const ids: Record<string, string> = {}
  for (const person of fourPeople) {
    directory.clock.advance(1)
    ids[person.displayName] = idOf(
      await directory.send({ method: 'POST', path: '/Users', body: { schemas: [userSchema.id], ...person } }),
    )
  }
  return {
    ...directory,
    ids,
    list: (path, parameters = {}) => directory.send({ path: `${path}?${new URLSearchParams(parameters).toString()}` }),
  }
}

/** The resources of a list. */
export const resourcesOf = ({ body }: ScimReply): readonly JsonObject[] =>
  (body?.['Resources'] ?? []) as readonly JsonObject[]

/** Their names, in order. */
export const namesOf = (reply: ScimReply): readonly string[] => textsOf(reply, 'displayName')

/** Their identifiers, in order. */
export const idsOf = (reply: ScimReply): readonly string[] => textsOf(reply, 'id')

const textsOf = (reply: ScimReply, name: string): readonly string[] =>
  resourcesOf(reply).map((resource) => {
    const value = resource[name]
    return typeof value === 'string' ? value : ''
  })
