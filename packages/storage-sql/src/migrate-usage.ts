/** What `mintmark-migrate --help` prints. */
export const migrateUsage = `mintmark-migrate print [--dialect sqlite|postgres]       prints the whole schema as SQL
mintmark-migrate apply --sqlite FILE | --postgres URL    applies pending migrations; makes the file if it is not there
mintmark-migrate status --sqlite FILE | --postgres URL   lists pending migrations; exit code 1 when there are any
mintmark-migrate copy --sqlite FILE --postgres URL       copies everything in the file to an empty database; stop all servers first

Processes show their arguments to everybody on the machine: leave the password out of the URL, and set PGPASSWORD.`
