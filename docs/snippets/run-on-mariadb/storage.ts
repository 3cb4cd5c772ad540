import { createSqlStorage } from '@mintmark/storage-sql'
import { toMariadbDialect } from '@mintmark/storage-sql/mariadb'
import { createPool } from 'mysql2'

const pool = createPool({ host: 'db.example', user: 'mintmark', database: 'mintmark', connectionLimit: 20 })
export const storage = await createSqlStorage({ issuer: 'https://login.example', dialect: toMariadbDialect(pool) })
