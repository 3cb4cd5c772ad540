import { createSqlOAuthStorage } from '@mintmark/storage-sql'
import { toMariadbDialect } from '@mintmark/storage-sql/mariadb'
import { createPool } from 'mysql2'

const pool = createPool({ host: 'db.example', user: 'mintmark', database: 'mintmark', connectionLimit: 20 })
export const storage = await createSqlOAuthStorage({ issuer: 'https://login.example', dialect: toMariadbDialect(pool) })
