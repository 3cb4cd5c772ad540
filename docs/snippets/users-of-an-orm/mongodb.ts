import type { AuthorizationServerOptions } from '@mintmark/core'

/** A document of the collection `users`, whose `_id` is your identifier of the user. */
interface UserDocument {
  readonly _id: string
  readonly name: string
  readonly email: string
  readonly isDisabled?: boolean
}

/** The part of the collection that is needed; `Collection<UserDocument>` of the driver satisfies it. */
interface Users {
  findOne(filter: { _id: string }, options: { signal?: AbortSignal }): Promise<UserDocument | null>
}

/** The option `users`. */
export const usersOfMongo = (users: Users): NonNullable<AuthorizationServerOptions['users']> => ({
  async find(id, { signal }) {
    const user = await users.findOne({ _id: id }, { signal })
    return user === null
      ? undefined
      : { active: user.isDisabled !== true, claims: { name: user.name, email: user.email } }
  },
})
