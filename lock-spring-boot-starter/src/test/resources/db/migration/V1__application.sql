create table article (name varchar(100) primary key);
