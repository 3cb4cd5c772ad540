import { callSetUp } from './call-setup.ts'

// Creates a user, a client and a directory on a deployed Worker, unless they exist: npm run setup -- https://id.example.com

const { env, argv } = process
const [, , server] = argv
if (server === undefined) throw new Error('Add the URL of the Worker: npm run setup -- https://id.example.com')
console.log(await callSetUp(server.replace(/\/$/, ''), env['SETUP_KEY'] ?? ''))
