/** Stands for your user table. In yours, passwords are hashed with scrypt or argon2id. */
const people = [
  { id: 'user-1', email: 'ann@example.com', password: 'example', name: 'Ann Lee', company: 'acme' },
  { id: 'user-2', email: 'bob@example.com', password: 'example', name: 'Bob Ray', company: 'other' },
]

export const everybody = () => people

export const findPerson = (email: string, password: string) =>
  people.find((person) => person.email === email && person.password === password)
