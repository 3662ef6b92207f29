-- Which network an anonymous session was started from: the /48 of an IPv6 address, the /24 of an IPv4 one. Null for those from before.
alter table gateway.sessions add column site text;
