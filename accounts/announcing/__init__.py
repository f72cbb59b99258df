"""Announcements: what people are told of, each in the ways that they have chosen.

- `kinds`: the table: what is announced, to whom, how urgent it is, and by which ways by default
- `services`: announcing, what somebody chooses, and what they have read
- `devices`: the browsers that take announcements
- `push`: one push to one device
- `discord`: one direct message in Discord
- `taking`: taking what is to be sent in hand
- `stopping`: ending mail from the mail itself
- `delivering`: what leaves the site: mail and pushes at once, and the digest once a day
- `pages`: the list of what one was told, and the settings
- `tasks`: what workers do
"""
