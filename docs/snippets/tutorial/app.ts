import { toExpress } from '@mintmark/adapter-express'
import express from 'express'
import { issuer, server } from './authorization-server.ts'

const app = express()
app.use(toExpress(server)) // before express.json() and other body parsers
app.get('/', (_request, response) => void response.send('My product'))
await server.ready() // throws if another sealing key sealed the stored keys
app.listen(new URL(issuer).port)
