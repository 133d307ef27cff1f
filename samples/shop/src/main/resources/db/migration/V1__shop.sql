create table article (
    name varchar(100) primary key,
    stock integer not null
);

create table counter (
    name varchar(100) primary key,
    value integer not null
);

create table report (
    sent_by varchar(200) not null,
    token bigint not null
);

insert into article values ('chair', 100);
insert into counter values ('right', 0);
insert into counter values ('wrong', 0);
