/** Stands for your user table. In yours, passwords are hashed with scrypt or argon2id. */
const users = [
  { id: 'user-1', email: 'ann@example.com', password: 'example', name: 'Ann Lee', company: 'acme' },
  { id: 'user-2', email: 'bob@example.com', password: 'example', name: 'Bob Ray', company: 'other' },
]

export const allUsers = () => users

export const findUser = (email: string, password: string) =>
  users.find((user) => user.email === email && user.password === password)
