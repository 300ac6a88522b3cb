-- Tables whose texts are replaced by escapes.
CREATE TABLE `people` (`id` int unsigned NOT NULL AUTO_INCREMENT, `email` varchar(80) NOT NULL COMMENT 'an address',
  `kind` enum('a','b') DEFAULT 'a', `at` datetime(3) DEFAULT CURRENT_TIMESTAMP(3), `body` text, `price` decimal(10,2) DEFAULT 9.50,
  PRIMARY KEY (`id`), UNIQUE KEY `mail` (`email`), CONSTRAINT `positive` CHECK (`price` > 0)) ENGINE=InnoDB COMMENT='all of them';
