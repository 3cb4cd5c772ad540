import { createAdministration } from '@mintmark/admin'
import { withinTransaction } from '@mintmark/storage-sql/postgres'
import type { Pool } from 'pg'

const issuer = process.env['ISSUER_URL'] ?? 'https://login.example'

/** Creates the user both in the product's table and in Mintmark, or in neither. */
export async function createUser(pool: Pool, user: { readonly id: string; readonly name: string }): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    await client.query('INSERT INTO people (id, full_name) VALUES ($1, $2)', [user.id, user.name])
    await withinTransaction({
      client,
      issuer,
      async work(storage) {
        const { users } = createAdministration({ storage }).as({ kind: 'host', id: 'product' })
        const [written] = await users.upsert([{ userId: user.id, claims: { name: user.name } }])
        if (written?.outcome === 'refused') throw new Error(`The user was refused: ${written.reason}`)
      },
    })
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  } finally {
    client.release()
  }
}

/** Disables the user in the product's table and in Mintmark. The commit also revokes everything issued to the user. */
export async function disableUser(pool: Pool, id: string): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    await client.query('UPDATE people SET is_disabled = true WHERE id = $1', [id])
    await withinTransaction({
      client,
      issuer,
      work: (storage) => createAdministration({ storage }).as({ kind: 'host', id: 'product' }).users.deactivate(id),
    })
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  } finally {
    client.release()
  }
}
